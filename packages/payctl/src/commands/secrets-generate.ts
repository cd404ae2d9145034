import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Command, InvalidArgumentError, Option } from 'commander'
import { commandFailure, shortText, usageError } from '../arguments.ts'
import { completeSecrets } from '../installation/generate.ts'
import { type EnvironmentName, environments } from '../installation/layout.ts'
import {
  type FileChange,
  type Format,
  formats,
  planChanges,
  readSecretFiles,
  type StoredSecrets,
  writePrivately,
} from '../installation/secret-files.ts'
import { postgresqlScript, rabbitmqDefinitions } from '../installation/servers.ts'
import { printJson } from '../output.ts'

interface Options {
  environment: EnvironmentName
  postgres: string
  rabbitmq: string
  format: Format
  output?: string
  jwtIssuers?: string
  messagingPrefix?: string
  json?: true
}

const pathMax = 500

/** Calls no service and needs no configuration. */
export function generateCommand(secrets: Command): void {
  secrets
    .command('generate')
    .description('generate the missing secrets of every process; existing ones stay as they are')
    .addOption(new Option('--environment <name>', 'environment').choices(environments).makeOptionMandatory())
    .requiredOption(
      '--postgres <url>',
      'address of PostgreSQL, as postgresql://host:5432?sslmode=verify-full',
      address(/^postgres(ql)?:$/, false),
    )
    .requiredOption(
      '--rabbitmq <url>',
      'address and vhost of RabbitMQ, as amqps://host:5671/payments',
      address(/^amqps?:$/, true),
    )
    .addOption(
      new Option('--format <format>', 'manifests of Kubernetes, or one file of variables per process')
        .choices(formats)
        .default('kubernetes'),
    )
    .option(
      '--output <directory>',
      'directory to complete; without it, new manifests are printed at every run, unless to a terminal',
      shortText(pathMax),
    )
    .option('--jwt-issuers <file>', 'JSON file with the value of JWT_ISSUERS; default: []', shortText(pathMax))
    .option(
      '--messaging-prefix <prefix>',
      'MESSAGING_PREFIX of the processes, for the permissions of RabbitMQ; default: the environment',
      messagingPrefix,
    )
    .option('--json', 'print the names of files and variables as JSON')
    .action(generate)
}

function generate(options: Options): void {
  const { environment, format, output } = options
  if (output === undefined && (format === 'env' || options.json)) {
    throw usageError('--format env and --json need --output, a directory')
  }
  if (output === undefined && process.stdout.isTTY) {
    throw usageError('this terminal would show every secret: add --output <directory>, or redirect the output')
  }
  const directory = join(output ?? '', 'secrets')
  const stored: StoredSecrets =
    output === undefined ? { secrets: new Map(), files: new Map() } : readSecretFiles(directory, format, environment)
  const complete = completeSecrets(stored.secrets, {
    environment,
    postgresUrl: options.postgres,
    rabbitmqUrl: options.rabbitmq,
    jwtIssuers: jwtIssuers(options.jwtIssuers),
  })
  const changes = planChanges(stored, complete, format, environment)
  if (output === undefined) {
    process.stdout.write(changes.map(({ text }) => text).join('---\n'))
    return
  }
  const servers = {
    'postgresql.sql': postgresqlScript(complete),
    'rabbitmq.json': rabbitmqDefinitions(complete, options.messagingPrefix ?? environment),
  }
  for (const { file, text, added } of changes) if (added.length > 0) writePrivately(directory, file, text)
  for (const [file, text] of Object.entries(servers)) writePrivately(output, file, text)
  report(changes, Object.keys(servers), options.json)
}

function report(changes: readonly FileChange[], servers: readonly string[], json: true | undefined): void {
  const files = changes.map(({ file, added, unchanged }) => ({ file: `secrets/${file}`, added, unchanged }))
  if (json) return printJson({ files, derived: servers })
  for (const { file, added, unchanged } of files) {
    const what = added.length === 0 ? `unchanged ${unchanged.length} variables` : `added ${added.join(', ')}`
    process.stdout.write(
      `${file}: ${what}${added.length > 0 && unchanged.length > 0 ? `; unchanged ${unchanged.length}` : ''}\n`,
    )
  }
  process.stdout.write(`${servers.join(', ')}: written from the secrets\n`)
}

/** A URL with a host, without credentials, and without a path where the platform adds its own. */
function address(protocol: RegExp, hasPath: boolean): (value: string) => string {
  return (value) => {
    const url = URL.canParse(value) && !/[\s']/.test(value) ? new URL(value) : undefined
    if (url === undefined || !protocol.test(url.protocol) || url.hostname === '')
      throw new InvalidArgumentError(`must be a URL with a host, as ${hasPath ? 'amqps' : 'postgresql'}://host`)
    if (url.username !== '' || url.password !== '')
      throw new InvalidArgumentError('must have no credentials: each process gets its own')
    if (!hasPath && url.pathname.length > 1)
      throw new InvalidArgumentError('must name no database: each service has its own')
    return value
  }
}

function messagingPrefix(value: string): string {
  if (!/^[a-z0-9-]{0,50}$/.test(value))
    throw new InvalidArgumentError('must have only lower-case letters, digits and -')
  return value
}

function jwtIssuers(file: string | undefined): string {
  if (file === undefined) return '[]'
  try {
    const issuers: unknown = JSON.parse(readFileSync(file, 'utf8'))
    const text = JSON.stringify(issuers)
    if (Array.isArray(issuers) && !text.includes("'")) return text
  } catch (cause) {
    throw commandFailure(`--jwt-issuers: ${file} cannot be read as JSON: ${(cause as Error).message}`)
  }
  throw commandFailure(`--jwt-issuers: ${file} must contain a JSON array without apostrophes`)
}
