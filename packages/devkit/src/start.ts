/**
 * npm start: servers, migrations, the constellation, a demo tenant, and then a foreground process that ends all of it.
 */
import { join } from 'node:path'
import { type Constellation, startConstellation } from './constellation.ts'
import { databaseOf, ensureDatabases, services, urlAs } from './databases.ts'
import { curlLine, type Demo, ensureDemo } from './demo.ts'
import { deploy, migrationsOf } from './migrate.ts'
import { asOwner, Interrupted } from './ownership.ts'
import { requireFree } from './ports.ts'
import {
  type ConstellationOptions,
  type ProcessPlan,
  payctlEnvironment,
  portsFrom,
  processPlans,
} from './process-plan.ts'
import type { Household } from './processes.ts'
import { type Environment, type Profile, profile } from './profile.ts'
import { inParallel, type Say } from './progress.ts'
import { type Provisioned, provisioning } from './provision.ts'
import { secretsOf, writePrivately } from './secrets.ts'

/** Resolves with the exit code once everything has ended. */
export async function start(env: Environment = process.env): Promise<number> {
  const own = profile('dev', env)
  try {
    return await asOwner(own, 'npm start', (house) => run(own, house, env))
  } catch (error) {
    if (!(error instanceof Interrupted)) throw error
    console.log('Stopped.')
    return 0
  }
}

async function run(own: Profile, house: Household, env: Environment): Promise<never> {
  const from = Date.now()
  // Said before the slow part begins: nothing is more tiresome than a taken port after a minute of waiting.
  const ports = portsFrom(env)
  const sketch = processPlans(optionsFor(own, env, { databaseUrl: 'postgresql://u:p@h/d', amqpUrl: '' }))
  await requireFree(sketch.flatMap((plan) => plan.ports))
  house.atClose(async () => console.log('\nStopping …'))
  const options = optionsFor(own, env, await startServers(own, house, env))
  const constellation = await startProcesses(own, house, processPlans(options))
  const payctlEnv = payctlEnvironment(options)
  writePrivately(join(own.directory, 'payctl.json'), `${JSON.stringify(payctlEnv, null, 2)}\n`)
  const gatewayUrl = `http://127.0.0.1:${ports.gateway}`
  let demo: Demo | undefined
  const onboard = async () => {
    demo = await ensureDemo(own.directory, gatewayUrl, { ...process.env, ...payctlEnv })
  }
  await Promise.race([inParallel([{ title: 'Demo tenant', run: onboard }]), constellation.died])
  if (demo !== undefined) announce(gatewayUrl, demo, Date.now() - from)
  return constellation.died
}

async function startServers(own: Profile, house: Household, env: Environment): Promise<Provisioned> {
  const servers = provisioning(own, house, env)
  const urls = { databaseUrl: '', amqpUrl: '' }
  await inParallel([
    {
      title: 'PostgreSQL',
      run: async (say) => {
        const { url, description } = await servers.postgres(say)
        await migrateAll(url, say)
        say(`${description}, migrated`)
        urls.databaseUrl = url
      },
    },
    {
      title: 'RabbitMQ',
      run: async (say) => {
        const { url, description } = await servers.rabbitmq(say)
        say(description)
        urls.amqpUrl = url
      },
    },
  ])
  return urls
}

async function migrateAll(adminUrl: string, say: Say): Promise<void> {
  say('creating databases')
  await ensureDatabases(adminUrl)
  for (const service of services) {
    say(`migrating ${service}`)
    await deploy(migrationsOf(service), { databaseUrl: urlAs(adminUrl, 'payments_owner', databaseOf(service)) })
  }
}

/**
 * After the servers, not beside them: tried both ways, and seven processes that boot together take from RabbitMQ, which boots on one
 * core, more time than they save.
 */
async function startProcesses(own: Profile, house: Household, plans: readonly ProcessPlan[]): Promise<Constellation> {
  const ready = new Map(plans.map(({ name }) => [name, deferred()]))
  const starting = startConstellation({
    plans,
    house,
    logDirectory: join(own.directory, 'logs'),
    heard: (name, state) => {
      if (state === 'ready') ready.get(name)?.resolve()
    },
  })
  // Every step fails with what failed, so that the list on the terminal ends before the message is printed.
  starting.catch((error) => {
    for (const { reject } of ready.values()) reject(error)
  })
  await inParallel(plans.map(({ name }) => ({ title: name, run: async () => ready.get(name)?.promise })))
  return starting
}

function deferred() {
  let resolve: () => void = () => {}
  let reject: (reason: unknown) => void = () => {}
  const promise = new Promise<void>((done, failed) => {
    resolve = done
    reject = failed
  })
  promise.catch(() => {}) // the step that waits for it reports it
  return { promise, resolve, reject }
}

function optionsFor(own: Profile, env: Environment, servers: Provisioned): ConstellationOptions {
  const databaseUrls = Object.fromEntries(
    services.map((service) => [service, urlAs(servers.databaseUrl, 'payments_app', databaseOf(service))]),
  ) as ConstellationOptions['databaseUrls']
  return {
    directory: own.directory,
    secrets: secretsOf(own.directory),
    ports: portsFrom(env),
    databaseUrls,
    amqpUrl: servers.amqpUrl,
    messagingPrefix: 'payments-dev',
    overrides: env,
  }
}

function announce(gatewayUrl: string, demo: Demo, elapsedMs: number): void {
  const rows = [
    ['Gateway', gatewayUrl],
    ['Tenant id', demo.tenant_id],
    ['Business unit id', demo.business_unit_id],
    ['Admin API key', demo.api_key.value],
  ]
  console.log(`\nReady after ${(elapsedMs / 1000).toFixed(1)} s.\n`)
  for (const [label = '', value] of rows) console.log(`  ${label.padEnd(18)}${value}`)
  console.log(`\nA payment (each time you paste it, another one):\n\n${curlLine(gatewayUrl, demo)}\n`)
  console.log('Logs are in .data/dev/logs. Operators use: npm run payctl -- --help')
  console.log('Ctrl-C stops everything; npm start begins again with the same data; npm run reset forgets it.')
}
