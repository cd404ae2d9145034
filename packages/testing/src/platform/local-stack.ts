/**
 * The whole platform for one test: real processes with their own databases, broker prefix, free ports and development
 * issuer. Needs compiled packages; `npm test` compiles them. A test that only calls it uses shared-platform.ts.
 */
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { freePorts } from '@payments/devkit/machine/ports'
import { root } from '@payments/devkit/machine/profile'
import { edgeKey, loadSecrets } from '@payments/devkit/machine/secrets'
import { payctl } from '@payments/devkit/platform/demo'
import { type LocalStack, startLocalStack } from '@payments/devkit/platform/local-stack'
import {
  type LocalProcessName,
  type LocalStackOptions,
  localPlans,
  type ProcessPlan,
  payctlEnvironment,
} from '@payments/devkit/platform/process-plan'
import { type Ports, portTable } from '@payments/devkit/platform/process-ports'
import { type ProcessGroup, processGroup } from '@payments/devkit/processes/process-group'
import { buildAmqpUrls } from '@payments/devkit/servers/broker-users'
import { type Service, services } from '@payments/devkit/servers/databases'
import { privateBroker } from '../broker/broker.ts'
import { type PrivateDatabase, privateDatabase } from '../database/database.ts'
import type { TestServers } from './servers.ts'

/** The part of a platform that a test can use without an effect on the processes. */
export interface Platform {
  readonly gatewayUrl: string
  readonly ports: LocalStackOptions['ports']
  readonly databases: Readonly<Record<Service, Pick<PrivateDatabase, 'url' | 'ownerUrl'>>>
  readonly amqpUrl: string
  readonly messagingPrefix: string
  /** Directory of log files, one per process. */
  readonly logDirectory: string
  /** Runs payctl against it; `code` is its exit code. */
  readonly payctl: (...args: string[]) => Promise<{ code: number | null; stdout: string; output: string }>
  /** The environment of payctl, for a test that starts payctl as a process. */
  readonly payctlEnv: NodeJS.ProcessEnv
  /** The key, in base64, with which `issuer` signs for `audience`, for a test that calls in the name of a process. */
  readonly edgeKey: (issuer: string, audience: string) => string
}

/** More processes beside those of a platform, on its databases. */
export interface Replicas {
  /** One more replica of the gateway beside the first; `env` is its own. */
  readonly addGateway: (env?: Readonly<Record<string, string>>) => Promise<Replica>
  /** One more replica of api-key beside the first, on the same database. */
  readonly addApiKey: () => Promise<Replica>
  /** One more replica of invite-to-pay beside the first, on the same database. The gateway does not call it. */
  readonly addInviteToPay: () => Promise<Replica>
  /** One more dispatcher beside the first; `env` is its own. */
  readonly addDispatcher: (env?: Readonly<Record<string, string>>) => Promise<LocalStack>
}

export interface TestStack extends LocalStack, Platform, Replicas {
  readonly databases: Readonly<Record<Service, PrivateDatabase>>
  /**
   * Kills every process, awaits `loss`, and starts them again with the same files, ports and databases, and with names
   * at the broker that it does not know: to the processes, the broker has lost its data.
   */
  readonly restartAfter: (loss: () => Promise<void>) => Promise<void>
}

export interface Replica {
  readonly url: string
  readonly replica: LocalStack
}

/** Variables that the processes inherit; this module or `env` sets all others. */
const inherited = ['PATH', 'HOME', 'TMPDIR', 'LANG']

export interface TestOptions {
  /** Variables for every process, which take precedence. */
  readonly env?: Readonly<Record<string, string>>
  /** Processes that the test does not need; they are not started. */
  readonly without?: readonly LocalProcessName[]
  /** The URL of the broker, for a test that cuts connections. */
  readonly amqpUrl?: string
  /** Other servers than those that all tests share. */
  readonly servers?: TestServers
}

export async function startTestStack(testOptions: TestOptions = {}): Promise<TestStack> {
  const { env = {}, without = [], amqpUrl: proxyUrl, servers } = testOptions
  const parent = join(root, '.data', 'test')
  mkdirSync(parent, { recursive: true })
  const directory = mkdtempSync(join(parent, 'local-stack-'))
  const group = processGroup()
  const databases = {} as Record<Service, PrivateDatabase>
  for (const service of services) databases[service] = await privateDatabase(service, servers?.databaseUrl)
  const { url, prefix: messagingPrefix } = await privateBroker(servers?.amqpUrl)
  const amqpUrl = proxyUrl ?? url
  const portNames = Object.keys(portTable) as (keyof Ports)[]
  const free = await freePorts(portNames.length)
  const ports = Object.fromEntries(portNames.map((name, at) => [name, free[at]])) as Ports
  const options = stackOptions(directory, { ports, databases, amqpUrl, messagingPrefix }, env)
  const stop = async () => {
    await group.close()
    await Promise.all(services.map((service) => databases[service].drop()))
    rmSync(directory, { recursive: true, force: true })
  }
  try {
    const plansOn = (prefix: string) =>
      localPlans({ ...options, messagingPrefix: prefix }).filter(({ name }) => !without.includes(name))
    const plans = plansOn(messagingPrefix)
    const payctlEnv = { ...inheritedVariables(), ...payctlEnvironment(options) }
    const logDirectory = join(directory, 'logs')
    const running = await startLocalStack({ plans, group, logDirectory })
    return {
      ...running,
      gatewayUrl: `http://127.0.0.1:${ports.gateway}`,
      ports: options.ports,
      databases,
      amqpUrl,
      messagingPrefix,
      logDirectory,
      payctl: (...args) => payctl(args, payctlEnv),
      payctlEnv,
      edgeKey: (issuer, audience) => edgeKey(options.secrets, issuer, audience),
      restartAfter: async (loss) => {
        for (const { name } of plans) await running.kill(name)
        await loss()
        await startLocalStack({ plans: plansOn(`${messagingPrefix}-next`), group, logDirectory })
      },
      ...buildReplicas({ plans, group, directory, logDirectory }),
      stop,
    }
  } catch (error) {
    await stop()
    throw error
  }
}

/**
 * Replicas beside a platform that another process started, as the shared one. They have no variables that this platform
 * was given. `stop` ends them alone.
 */
export function replicasBeside(platform: Platform): Replicas & { readonly stop: () => Promise<void> } {
  const { logDirectory } = platform
  const directory = dirname(logDirectory)
  const group = processGroup()
  const plans = localPlans(stackOptions(directory, platform))
  return { ...buildReplicas({ plans, group, directory, logDirectory }), stop: group.close }
}

function stackOptions(
  directory: string,
  { ports, databases, amqpUrl, messagingPrefix }: Pick<Platform, 'ports' | 'databases' | 'amqpUrl' | 'messagingPrefix'>,
  env: Readonly<Record<string, string>> = {},
): LocalStackOptions {
  return {
    directory,
    secrets: loadSecrets(directory),
    ports,
    databaseUrls: Object.fromEntries(
      services.map((service) => [service, databases[service].url]),
    ) as LocalStackOptions['databaseUrls'],
    amqpUrls: buildAmqpUrls(amqpUrl),
    messagingPrefix,
    overrides: { ...inheritedVariables(), ...env },
  }
}

const inheritedVariables = () => Object.fromEntries(inherited.map((name) => [name, process.env[name]]))

interface ReplicasOptions {
  readonly plans: readonly ProcessPlan[]
  readonly group: ProcessGroup
  readonly directory: string
  readonly logDirectory: string
}

function buildReplicas({ plans, group, directory, logDirectory }: ReplicasOptions): Replicas {
  const add = (name: LocalProcessName, healthPort: number, own: Readonly<Record<string, string>>) => {
    const plan = another(plans, name, healthPort, own)
    return startLocalStack({ plans: [plan], group, logDirectory: join(logDirectory, `${healthPort}`) })
  }
  const addService = async (name: LocalProcessName): Promise<Replica> => {
    const [port = 0] = await freePorts(1)
    return { url: `http://127.0.0.1:${port}`, replica: await add(name, port, { PORT: `${port}` }) }
  }
  return {
    addGateway: async (env: Readonly<Record<string, string>> = {}): Promise<Replica> => {
      const [port = 0, internalPort = 0] = await freePorts(2)
      const auditDirectory = join(directory, `audit-${port}`)
      const own = { PORT: `${port}`, INTERNAL_PORT: `${internalPort}`, AUDIT_DIRECTORY: auditDirectory, ...env }
      return { url: `http://127.0.0.1:${port}`, replica: await add('gateway', internalPort, own) }
    },
    addApiKey: () => addService('api-key'),
    addInviteToPay: () => addService('invite-to-pay'),
    addDispatcher: async (env: Readonly<Record<string, string>> = {}): Promise<LocalStack> => {
      const [internalPort = 0] = await freePorts(1)
      return add('webhooks-dispatcher', internalPort, { INTERNAL_PORT: `${internalPort}`, ...env })
    },
  }
}

/** A second process of that name with its own variables. `healthPort` serves its readiness. */
function another(
  plans: readonly ProcessPlan[],
  name: LocalProcessName,
  healthPort: number,
  own: Readonly<Record<string, string>>,
): ProcessPlan {
  const first = plans.find((plan) => plan.name === name)
  if (first === undefined) throw new Error(`there is no ${name} to add one to`)
  return {
    ...first,
    env: { ...first.env, ...own },
    ports: [],
    readyUrl: `http://127.0.0.1:${healthPort}/readyz`,
  }
}
