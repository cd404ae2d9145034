import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { isMap, parseDocument } from 'yaml'
import { commandFailure } from '../arguments.ts'
import { readEnvFile, writeEnvFile } from './env-file.ts'
import type { Secrets } from './generate.ts'
import { type EnvironmentName, type SecretLayout, secretLayouts } from './layout.ts'

/** The Secrets of an installation as files: one manifest per Secret, or one file of variables per process. */

export const formats = ['kubernetes', 'env'] as const
export type Format = (typeof formats)[number]

/** The files of a Secret, and how a file is read and written. */
const codecs = {
  kubernetes: {
    extension: '.yaml',
    plan: ({ name, variables }: SecretLayout) => [{ file: `${name}.yaml`, secret: name, variables }],
    read: readManifest,
    write: writeManifest,
  },
  env: {
    extension: '.env',
    plan: ({ name, variables, readers }: SecretLayout) =>
      readers.map((reader) => ({
        file: `${reader.process}.env`,
        secret: name,
        variables: reader.variables ?? variables,
      })),
    read: (text: string) => {
      const variables = readEnvFile(text)
      return { environment: variables.get('ENVIRONMENT') ?? '', variables }
    },
    write: (text: string, _name: string, environment: EnvironmentName, variables: ReadonlyMap<string, string>) =>
      writeEnvFile(text === '' ? `ENVIRONMENT='${environment}'\n` : text, variables),
  },
} as const satisfies Record<Format, unknown>

export interface StoredSecrets {
  readonly secrets: Secrets
  /** By file. */
  readonly files: ReadonlyMap<string, { readonly text: string; readonly variables: ReadonlyMap<string, string> }>
}

/** The Secrets in `directory`, which may not exist. Throws a CommanderError for files of another kind. */
export function readSecretFiles(directory: string, format: Format, environment: EnvironmentName): StoredSecrets {
  requireOneFormat(directory, format)
  const secrets = new Map<string, Map<string, string>>()
  const files = new Map<string, { text: string; variables: ReadonlyMap<string, string> }>()
  for (const { file, secret } of secretLayouts.flatMap(codecs[format].plan)) {
    const path = join(directory, file)
    if (!existsSync(path)) continue
    const text = readFileSync(path, 'utf8')
    const found = codecs[format].read(text)
    if (found === undefined) throw commandFailure(`${path} is not the manifest of one Secret`)
    if (found.environment !== environment)
      throw commandFailure(`${path} belongs to the environment "${found.environment}", not to ${environment}`)
    files.set(file, { text, variables: found.variables })
    // Files of two processes with one Secret: the first that has a variable counts.
    secrets.set(secret, new Map([...found.variables, ...(secrets.get(secret) ?? [])]))
  }
  return { secrets, files }
}

function requireOneFormat(directory: string, format: Format): void {
  if (!existsSync(directory)) return
  const others = Object.entries(codecs).filter(([name]) => name !== format)
  const names = readdirSync(directory)
  for (const [name, { extension }] of others) {
    const file = names.find((one) => one.endsWith(extension))
    if (file !== undefined) throw commandFailure(`${directory} contains ${file}: use --format ${name}`)
  }
}

export interface FileChange {
  readonly file: string
  /** Names of added variables. A variable with new entries counts as added. */
  readonly added: readonly string[]
  readonly unchanged: readonly string[]
  readonly text: string
}

/** The missing variables of each file. Changes nothing. */
export function planChanges(
  stored: StoredSecrets,
  complete: Secrets,
  format: Format,
  environment: EnvironmentName,
): FileChange[] {
  return secretLayouts.flatMap(codecs[format].plan).map(({ file, secret, variables }) => {
    const present = stored.files.get(file)
    const all = variables.map((name) => [name, complete.get(secret)?.get(name) ?? ''] as const)
    const changes = new Map(all.filter(([name, value]) => isMissing(stored, file, secret, name, value)))
    return {
      file,
      added: [...changes.keys()],
      unchanged: variables.filter((name) => !changes.has(name)),
      text:
        changes.size === 0
          ? (present?.text ?? '')
          : codecs[format].write(present?.text ?? '', secret, environment, changes),
    }
  })
}

/** A file whose value differs from the value of the other process keeps it: a rotation reaches one after the other. */
function isMissing(stored: StoredSecrets, file: string, secret: string, name: string, value: string): boolean {
  const own = stored.files.get(file)?.variables.get(name)
  return own === undefined || (own === stored.secrets.get(secret)?.get(name) && own !== value)
}

/** Writes files that only their owner can read, each in one step. */
export function writePrivately(directory: string, file: string, text: string): void {
  mkdirSync(directory, { recursive: true, mode: 0o700 })
  const path = join(directory, file)
  const draft = `${path}.${process.pid}.draft`
  writeFileSync(draft, text, { mode: 0o600 })
  renameSync(draft, path)
}

/**
 * A Secret of Kubernetes. A file may have its values in `stringData`, as generated, or in `data`, as exported.
 * Undefined: not a manifest of one Secret.
 */
function readManifest(text: string) {
  const document = parseDocument(text)
  if (document.errors.length > 0 || !isMap(document.contents) || document.get('kind') !== 'Secret') return undefined
  const { metadata, data, stringData } = document.toJS() as {
    metadata?: { namespace?: string }
    data?: Record<string, string>
    stringData?: Record<string, string>
  }
  const decoded = Object.entries(data ?? {}).map(
    ([name, value]) => [name, Buffer.from(value, 'base64').toString()] as const,
  )
  return {
    environment: (metadata?.namespace ?? '').replace(/^payments-/, ''),
    variables: new Map([...decoded, ...Object.entries(stringData ?? {})]),
  }
}

/** Adds variables to `text`, which may be empty, or replaces them. The rest stays as it is, comments included. */
function writeManifest(
  text: string,
  name: string,
  environment: EnvironmentName,
  variables: ReadonlyMap<string, string>,
): string {
  const document = parseDocument(text === '' ? emptyManifest(name, environment) : text)
  for (const [variable, value] of variables) {
    if (document.hasIn(['data', variable])) document.setIn(['data', variable], Buffer.from(value).toString('base64'))
    else document.setIn(['stringData', variable], value)
  }
  return document.toString({ lineWidth: 0, singleQuote: true })
}

const emptyManifest = (name: string, environment: EnvironmentName) => `apiVersion: v1
kind: Secret
metadata:
  name: ${name}
  namespace: payments-${environment}
  labels: { app.kubernetes.io/part-of: payment-service }
type: Opaque
`
