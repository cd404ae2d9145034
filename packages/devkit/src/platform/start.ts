/**
 * npm start: starts servers, migrations, the local stack and a demo tenant, then waits in the foreground and ends
 * everything. A process that ends by itself is started again.
 */
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { choosePorts, type PortUse } from '../machine/ports.ts'
import { type Environment, type Profile, profile } from '../machine/profile.ts'
import { inParallel, type Say } from '../machine/progress.ts'
import { loadSecrets, writePrivately } from '../machine/secrets.ts'
import { UserError } from '../machine/user-error.ts'
import { deploy, locateMigrations } from '../migrations/migrate.ts'
import { asOwner, Interrupted } from '../processes/ownership.ts'
import type { ProcessGroup } from '../processes/process-group.ts'
import { type Supervisor, supervisor } from '../processes/supervisor.ts'
import { receiverPort, startReceiver } from '../sample/receiver.ts'
import { ensureSample, hasSample, sampleSchedule } from '../sample/sample.ts'
import { buildAmqpUrls, developmentPrefix } from '../servers/broker-users.ts'
import { appRoleName, databaseName, ensureDatabases, services, urlAs } from '../servers/databases.ts'
import { type Provisioned, type Provisioning, provisioning, serverPorts } from '../servers/provision.ts'
import { announcement } from './announcement.ts'
import { type Demo, ensureDemo } from './demo.ts'
import { ensureDemoPeople } from './demo-people.ts'
import { type LocalStack, startLocalStack } from './local-stack.ts'
import {
  type LocalStackOptions,
  localPlans,
  type ProcessPlan,
  payctlEnvironment,
  processPlans,
} from './process-plan.ts'
import { portsFrom, portTable } from './process-ports.ts'
import { type PrometheusOptions, prometheusPort, requirePrometheus, startPrometheus } from './prometheus.ts'

const flags = ['--observe', '--sample']

/**
 * Resolves with the exit code once everything has ended. `--observe` starts Prometheus too. `--sample` fills the demo
 * tenant; the webhook endpoints of the sample data are there at each later start.
 */
export async function start(args: readonly string[] = [], env: Environment = process.env): Promise<number> {
  const unknown = args.find((arg) => !flags.includes(arg))
  if (unknown !== undefined) throw new UserError(`npm start has no argument "${unknown}". It has: ${flags.join(', ')}.`)
  const own = profile('dev', env)
  let known = args.includes('--sample') ? { WEBHOOKS_RETRY_SCHEDULE: sampleSchedule, ...env } : env
  const extras = (): Extras => ({
    prometheus: args.includes('--observe') ? { program: requirePrometheus(), ...prometheusPort(known) } : undefined,
    receiver: args.includes('--sample') || hasSample(own.directory) ? receiverPort(known) : undefined,
  })
  const more = Object.values(extras()).filter((extra) => extra !== undefined)
  try {
    return await asOwner(
      own,
      'npm start',
      (group) => run(profile('dev', known), group, known, extras()),
      async () => {
        known = await withPorts(own, known, more)
      },
    )
  } catch (error) {
    if (!(error instanceof Interrupted)) throw error
    console.log('Stopped.')
    return 0
  }
}

/** The optional parts of a start. */
interface Extras {
  readonly prometheus?: (PortUse & { readonly program: string }) | undefined
  /** Of the sample data. */
  readonly receiver?: PortUse | undefined
}

async function run(own: Profile, group: ProcessGroup, env: Environment, extras: Extras): Promise<never> {
  const from = Date.now()
  group.atClose(async () => console.log('\nStopping …'))
  const platform = await startPlatform(own, group, env, extras)
  console.log(announcement(platform, Date.now() - from))
  return platform.ended
}

export interface Platform {
  readonly gatewayUrl: string
  readonly prometheusUrl: string | undefined
  readonly demo: Demo
  /** Rejects with a UserError when a process ends too often to be started again. */
  readonly ended: Promise<never>
}

/** Starts everything in the profile. A process that ends by itself afterwards is started again. */
export async function startPlatform(
  own: Profile,
  group: ProcessGroup,
  env: Environment,
  { prometheus, receiver }: Extras = {},
): Promise<Platform> {
  const ports = portsFrom(env)
  const supervised = supervisor(group, (line) => console.log(line))
  const servers = provisioning(own, group, env, supervised.keep)
  const { amqpUrl } = servers
  const sketchOptions = optionsFor(own, env, { databaseUrl: 'postgresql://u:p@h/d', amqpUrl })
  const sketch = localPlans(sketchOptions)
  const gatewayUrl = `http://127.0.0.1:${ports.gateway}`
  const postgres = createDeferred<string>()
  const rabbitmq = createDeferred<void>()
  const ready = new Map(sketch.map(({ name }) => [name, createDeferred<void>()]))
  const starting = postgres.promise.then(async (databaseUrl) => {
    const options = optionsFor(own, env, { databaseUrl, amqpUrl })
    const payctlEnv = payctlEnvironment(options)
    writePrivately(join(own.directory, 'payctl.json'), `${JSON.stringify(payctlEnv, null, 2)}\n`)
    const stack = await startProcesses(own, group, localPlans(options), { rabbitmq, ready, supervised })
    return { payctlEnv, ended: Promise.race([stack.died, supervised.failed]) }
  })
  // Every step fails with the error of the failed step, so the list on the terminal ends before the message.
  for (const failure of [starting, supervised.failed])
    failure.catch((error) => {
      for (const { reject } of [rabbitmq, ...ready.values()]) reject(error)
    })
  let demo: Demo | undefined
  let prometheusUrl: string | undefined
  await inParallel([
    { title: 'PostgreSQL', run: (say) => settle(postgres, startPostgres(servers, say)) },
    { title: 'RabbitMQ', run: (say) => settle(rabbitmq, startRabbitmq(servers, say)) },
    ...sketch.map(({ name }) => ({ title: name, run: async () => ready.get(name)?.promise })),
    {
      title: 'Demo tenant',
      run: async (say) => {
        const { payctlEnv, ended } = await starting
        const onboarding = ensureDemo(own.directory, gatewayUrl, { ...process.env, ...payctlEnv })
        demo = await Promise.race([onboarding, ended])
        await Promise.race([ensureDemoPeople(gatewayUrl, demo), ended])
        if (receiver === undefined) return
        const { url, close } = await startReceiver(receiver)
        group.atClose(close)
        await Promise.race([ensureSample(own.directory, gatewayUrl, demo, url, say), ended])
      },
    },
    ...(prometheus === undefined
      ? []
      : [
          {
            title: 'Prometheus',
            run: async () => {
              const logFile = join(own.directory, 'logs', 'prometheus.log')
              const where = { directory: own.directory, logFile, plans: processPlans(sketchOptions) }
              prometheusUrl = await keepPrometheus(group, { ...prometheus, ...where }, supervised)
            },
          },
        ]),
  ])
  const { ended } = await starting
  if (demo === undefined) throw new Error('the demo tenant was not created')
  return { gatewayUrl, prometheusUrl, demo, ended }
}

async function keepPrometheus(group: ProcessGroup, options: PrometheusOptions, { keep }: Supervisor): Promise<string> {
  const { url, server } = await startPrometheus(group, options)
  keep(server, async () => (await startPrometheus(group, options)).server)
  return url
}

/**
 * The environment with a port for every listener of a start, servers included, before anything starts.
 * Only the port of the gateway is promised: another one that is in use is replaced, unless the environment names it.
 * Throws a UserError that names all ports in use.
 */
export async function withPorts(own: Profile, env: Environment, more: readonly PortUse[] = []): Promise<Environment> {
  const addresses = { databaseUrl: 'postgresql://u:p@h/d', amqpUrl: 'amqp://h' }
  const plans = localPlans(optionsFor(own, env, addresses))
  const uses = [...(await serverPorts(own, env)), ...plans.flatMap((plan) => plan.ports), ...more]
  const say = (line: string) => console.log(`• ${line}`)
  return choosePorts(env, uses, {
    promised: [portTable.gateway.variable],
    stored: join(own.directory, 'ports.json'),
    say,
  })
}

async function startPostgres(servers: Provisioning, say: Say): Promise<string> {
  const { url, description } = await servers.postgres(say)
  await migrateAll(url, say)
  say(`${description}, migrated`)
  return url
}

async function startRabbitmq(servers: Provisioning, say: Say): Promise<void> {
  const { description } = await servers.rabbitmq(say)
  say(description)
}

async function migrateAll(adminUrl: string, say: Say): Promise<void> {
  say('creating databases')
  await ensureDatabases(adminUrl)
  for (const service of services) {
    say(`migrating ${service}`)
    await deploy(locateMigrations(service), urlAs(adminUrl, 'payments_owner', databaseName(service)))
  }
}

/**
 * While RabbitMQ boots on one core, the other cores load processes. Loading all at once would delay RabbitMQ more than
 * it saves.
 */
function startProcesses(
  own: Profile,
  group: ProcessGroup,
  plans: readonly ProcessPlan[],
  {
    rabbitmq,
    ready,
    supervised,
  }: {
    rabbitmq: PromiseWithResolvers<void>
    ready: ReadonlyMap<string, PromiseWithResolvers<void>>
    supervised: Supervisor
  },
): Promise<LocalStack> {
  return startLocalStack({
    plans,
    group,
    logDirectory: join(own.directory, 'logs'),
    supervisor: supervised,
    grounds: { ready: rabbitmq.promise, startingMax: Math.max(1, availableParallelism() - 1) },
    heard: (name, state) => {
      if (state === 'ready') ready.get(name)?.resolve()
    },
  })
}

/** The step that waits for it reports its rejection. */
function createDeferred<T>(): PromiseWithResolvers<T> {
  const deferred = Promise.withResolvers<T>()
  deferred.promise.catch(() => {})
  return deferred
}

/** The result of `work` reaches both the waiters for `made` and the caller. */
async function settle<T>({ promise, resolve, reject }: PromiseWithResolvers<T>, work: Promise<T>): Promise<void> {
  work.then(resolve, reject)
  await promise
}

function optionsFor(own: Profile, env: Environment, servers: Provisioned): LocalStackOptions {
  const databaseUrls = Object.fromEntries(
    services.map((service) => [service, urlAs(servers.databaseUrl, appRoleName(service), databaseName(service))]),
  ) as LocalStackOptions['databaseUrls']
  return {
    directory: own.directory,
    secrets: loadSecrets(own.directory),
    ports: portsFrom(env),
    databaseUrls,
    amqpUrls: buildAmqpUrls(servers.amqpUrl, env),
    messagingPrefix: developmentPrefix,
    overrides: env,
  }
}
