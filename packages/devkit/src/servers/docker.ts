/**
 * PostgreSQL and RabbitMQ from docker-compose.yml, for machines with a Docker daemon. Data is stored in named volumes.
 */
import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { find } from '../machine/machine.ts'
import { requireFree } from '../machine/ports.ts'
import { type Profile, root } from '../machine/profile.ts'
import type { Secrets } from '../machine/secrets.ts'
import { UserError } from '../machine/user-error.ts'
import { runToEnd } from '../processes/process-group.ts'

export type DockerService = 'postgres' | 'rabbitmq'

const responseTimeoutMs = 10_000
const upTimeoutMs = 300_000
const downTimeoutMs = 60_000
const importTimeoutMs = 60_000

export async function dockerIsAvailable(): Promise<boolean> {
  if (find('docker') === undefined) return false
  const version = await runToEnd('docker', ['version', '--format', '{{.Server.Version}}'], {
    timeoutMs: responseTimeoutMs,
  })
  if (version.code !== 0) return false
  return (await runToEnd('docker', ['compose', 'version'], { timeoutMs: responseTimeoutMs })).code === 0
}

/** Docker is available but cannot start the services: an image cannot be pulled, or the machine is too small. */
export class DockerFailure extends UserError {}

/**
 * Starts the services and waits for their health checks. Throws a DockerFailure, or a UserError that names a taken
 * port.
 */
export async function dockerUp(profile: Profile, secrets: Secrets, services: readonly DockerService[]): Promise<void> {
  const running = await compose(profile, secrets, ['ps', '--services', '--status', 'running'], responseTimeoutMs)
  const already = new Set(running.output.split('\n').map((line) => line.trim()))
  const purposes = { postgres: 'PostgreSQL', rabbitmq: 'RabbitMQ' }
  await requireFree(
    services.filter((name) => !already.has(name)).map((name) => ({ ...profile[name], purpose: purposes[name] })),
  )
  const { code, output } = await compose(profile, secrets, ['up', '--detach', '--wait', ...services], upTimeoutMs)
  if (code !== 0)
    throw new DockerFailure(`docker compose up failed:\n${output.trim().split('\n').slice(-6).join('\n')}`)
}

/** Creates the users of the processes at RabbitMQ. Throws a DockerFailure. */
export async function dockerImport(profile: Profile, secrets: Secrets, definitions: string): Promise<void> {
  const script = 'printf %s "$DEFINITIONS" | rabbitmqctl import_definitions'
  const args = ['exec', '-T', '--env', `DEFINITIONS=${definitions}`, 'rabbitmq', 'sh', '-c', script]
  const { code, output } = await compose(profile, secrets, args, importTimeoutMs)
  if (code !== 0) throw new DockerFailure(`RabbitMQ did not import its users:\n${output.trim().slice(-500)}`)
}

export async function dockerStop(profile: Profile, secrets: Secrets): Promise<void> {
  await compose(profile, secrets, ['stop', '--timeout', '10'], downTimeoutMs)
}

/** Removes the containers and their volumes. */
export async function dockerRemove(profile: Profile, secrets: Secrets): Promise<void> {
  await compose(profile, secrets, ['down', '--volumes', '--timeout', '10'], downTimeoutMs)
}

function compose(profile: Profile, secrets: Secrets, args: readonly string[], timeoutMs: number) {
  // The name depends on the secrets: the volumes of a deleted checkout cannot be opened, and a new checkout must not
  // find them.
  const checkout = createHash('sha256').update(`${root} ${secrets.postgresPassword}`).digest('hex').slice(0, 8)
  const project = `payment-service-${profile.name}-${checkout}`
  const env = {
    // Tests fail when a server ends; npm start continues.
    SERVERS_RESTART: profile.name === 'dev' ? 'on-failure' : 'no',
    ...process.env,
    POSTGRES_PORT: String(profile.postgres.port),
    POSTGRES_PASSWORD: secrets.postgresPassword,
    RABBITMQ_PORT: String(profile.rabbitmq.port),
    RABBITMQ_PASSWORD: secrets.rabbitmqPassword,
  }
  const file = join(root, 'docker-compose.yml')
  return runToEnd('docker', ['compose', '--project-name', project, '--file', file, ...args], { env, timeoutMs })
}
