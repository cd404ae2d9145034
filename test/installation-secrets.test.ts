import { readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { expect, test } from '@jest/globals'
import { loadConfig } from '@payments/chassis/base/config'
import { processNames } from '@payments/devkit/platform/process-plan'
import { appRoleName, databaseName, services } from '@payments/devkit/servers/databases'
import { completeSecrets } from '@payments/payctl/installation/generate'
import * as layout from '@payments/payctl/installation/layout'
import { postgresqlScript } from '@payments/payctl/installation/servers'
import { parseAllDocuments } from 'yaml'
import { environments } from '../scripts/texts/environments.mjs'

/** `payctl secrets generate` provides exactly what Kubernetes and the processes read. */
const root = resolve(import.meta.dirname, '..')
const secrets = completeSecrets(new Map(), {
  environment: 'qa',
  postgresUrl: 'postgresql://db.example',
  rabbitmqUrl: 'amqps://mq.example/payments',
  jwtIssuers: '[]',
})

interface Reference {
  readonly name: string
  readonly key: string
  readonly optional?: boolean
}
interface Variable {
  readonly name: string
  readonly value?: string
  readonly valueFrom?: { readonly secretKeyRef?: Reference }
}

const manifests = readdirSync(join(root, 'k8s'), { recursive: true, encoding: 'utf8' })
  .filter((name) => /\.ya?ml$/.test(name))
  .flatMap((name) => parseAllDocuments(readFileSync(join(root, 'k8s', name), 'utf8')))
  .map((document): unknown => document.toJS())

/** Every object below `value` with this member. */
function withMember(value: unknown, member: string): Record<string, unknown>[] {
  if (typeof value !== 'object' || value === null) return []
  const own = value as Record<string, unknown>
  return [...(member in own ? [own] : []), ...Object.values(own).flatMap((one) => withMember(one, member))]
}

const references = withMember(manifests, 'secretKeyRef').map(({ secretKeyRef }) => secretKeyRef as Reference)
const generated = layout.secretLayouts.flatMap(({ name, variables }) => variables.map((key) => `${name} ${key}`))
/** Of providers of the operator. */
const fromOperator = [
  'communication COMMUNICATION_SMTP_USERNAME',
  'communication COMMUNICATION_SMTP_PASSWORD',
  'identity SIGN_IN_PROVIDERS',
]

test('generation provides the variables of the layout', () => {
  const made = [...secrets].flatMap(([name, variables]) => [...variables.keys()].map((key) => `${name} ${key}`))
  expect(made.sort()).toEqual([...generated].sort())
})

test('every key that Kubernetes reads is generated, and every generated key is read', () => {
  const read = [...new Set(references.map(({ name, key }) => `${name} ${key}`))]
  expect(read.length).toBeGreaterThan(50)
  // payctl runs where the operator starts it.
  const expected = [...generated, ...fromOperator].filter((one) => one !== 'payctl ASSERTION_SIGN_KEYS')
  expect(read.filter((one) => one !== 'payctl ASSERTION_SIGN_KEYS').sort()).toEqual(expected.sort())
  const optional = references.filter(({ optional }) => optional).map(({ name, key }) => `${name} ${key}`)
  expect(optional).toEqual(expect.arrayContaining(fromOperator))
})

const processes = manifests.filter((one) =>
  /^(Deployment|StatefulSet)$/.test((one as { kind?: string } | null)?.kind ?? ''),
)
const containers = withMember(processes, 'containers').flatMap(({ containers }) => containers) as {
  name: string
  env?: Variable[]
}[]
/** Of the ConfigMaps of an overlay. */
const settings = {
  ENVIRONMENT: 'qa',
  LOG_LEVEL: 'info',
  MESSAGING_PREFIX: 'qa',
  TRUSTED_PROXIES: '1',
  PAY_BASE_URL: 'https://pay.example',
  CONSOLE_ORIGIN: 'https://console.example',
  CARD_PAGE_ORIGIN: 'https://cards.example',
  COMMUNICATION_EMAIL_PROVIDER: 'http',
  COMMUNICATION_SMS_PROVIDER: 'http',
  COMMUNICATION_FROM_ADDRESS: 'noreply@example.com',
  COMMUNICATION_HTTP_URL: 'https://messages.example/send',
}

test.each(processNames)('%s accepts the generated secrets as its environment', async (name) => {
  const [, folder = '', schema = ''] = environments.find(([one]) => one?.replace(' ', '-') === name) ?? []
  const { [schema]: environment } = await import(join(root, folder, 'src/config.ts'))
  const variables = containers.find((container) => container.name === name)?.env ?? []
  expect(variables.length).toBeGreaterThan(4)
  const env = { ...settings, ...Object.fromEntries(variables.map((one) => [one.name, readValue(one)])) }
  expect(() => loadConfig(environment, env)).not.toThrow()
  const [secretName = ''] = variables.flatMap(({ valueFrom }) => valueFrom?.secretKeyRef?.name ?? [])
  const reader = layout.secretLayouts
    .find((one) => one.name === secretName)
    ?.readers.find(({ process }) => process === name)
  const expected = reader?.variables ?? [...(secrets.get(secretName)?.keys() ?? [])]
  const read = variables.flatMap(({ valueFrom, name }) => (valueFrom?.secretKeyRef === undefined ? [] : name))
  expect(read.filter((one) => !fromOperator.includes(`${secretName} ${one}`)).sort()).toEqual([...expected].sort())
})

function readValue({ value, valueFrom }: Variable): string {
  const { name = '', key = '' } = valueFrom?.secretKeyRef ?? {}
  return value ?? secrets.get(name)?.get(key) ?? ''
}

test('databases and roles have the names that development uses', () => {
  expect([...layout.services].sort()).toEqual([...services].sort())
  for (const service of services)
    expect([layout.databaseName(service), layout.appRoleName(service)]).toEqual([
      databaseName(service),
      appRoleName(service),
    ])
})

test('the script for PostgreSQL has the documented statements', () => {
  const page = readFileSync(join(root, 'docs', 'operating.md'), 'utf8')
  const [, block = ''] = /## Databases and roles.*?```sql\n(.*?)```/s.exec(page) ?? []
  const documented = block
    .trim()
    .split('\n')
    .filter((line) => /^(REVOKE|GRANT|ALTER)/.test(line))
  expect(documented.length).toBeGreaterThan(6)
  const script = postgresqlScript(secrets).replaceAll('"', '').split('\n')
  for (const statement of documented) expect(script).toContain(statement)
})
