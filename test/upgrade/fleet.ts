import { join } from 'node:path'
import { freePorts } from '@payments/devkit/machine/ports'
import { type ProcessName, type ProcessPlan, processNames } from '@payments/devkit/platform/process-plan'
import type { Ports } from '@payments/devkit/platform/process-ports'
import { lastLines, processGroup, type Running } from '@payments/devkit/processes/process-group'
import { type Backend, type Balancer, openBalancer } from './balancer.ts'
import type { Plans, Release } from './previous-release.ts'

/** A release, and how its processes are started. */
export interface Installed extends Release, Plans {}

/** One process of one release. */
export interface Replica {
  readonly name: ProcessName
  readonly running: Running
  readonly backend: Backend
}

/** The processes of both releases. One balancer stands before the replicas of each service. */
export interface Fleet {
  readonly ports: Ports
  /** Starts a process and waits until the process is ready. `number`: of the replica. */
  readonly start: (release: Installed, name: ProcessName, number: number) => Promise<Replica>
  /** Sends SIGTERM and waits until the process gets no further connection. The process still drains. */
  readonly terminate: (replica: Replica) => Promise<void>
  readonly stop: () => Promise<void>
}

/** The key of the port at which other processes reach the process. The dispatcher has health only. */
const toPortKey = (name: ProcessName): keyof Ports => (name === 'webhooks-dispatcher' ? 'dispatcherInternal' : name)

/** Longer than any drain. */
const stopTimeoutMs = 60_000

export async function openFleet(directory: string): Promise<Fleet> {
  const names = processNames
  const found = await freePorts(names.length + 1)
  const ports = Object.fromEntries(
    [...names.map(toPortKey), 'gatewayInternal'].map((key, index) => [key, found[index]]),
  ) as unknown as Ports
  const balancers = new Map<ProcessName, Balancer>()
  for (const name of names) balancers.set(name, await openBalancer(ports[toPortKey(name)]))
  const findBalancer = (name: ProcessName) => balancers.get(name) as Balancer
  const group = processGroup()
  const started: Running[] = []
  return {
    ports,
    async start(release, name, number) {
      const plan = release.plans.find((one) => one.name === name)
      if (plan === undefined) throw new Error(`the release ${release.commit} has no process ${name}`)
      const [port = 0, internalPort = 0] = await freePorts(2)
      const health = name === 'gateway' || name === 'webhooks-dispatcher' ? internalPort : port
      const running = group.launch({
        name,
        command: process.execPath,
        args: [...plan.flags, join(release.directory, plan.directory, plan.entry)],
        env: buildEnvironment(plan, { port, internalPort, directory, number }),
        cwd: join(release.directory, plan.directory),
        logFile: join(directory, 'logs', `${name}-${number}-${release.commit}.log`),
        stopTimeoutMs,
      })
      started.push(running)
      const backend = { port, readyUrl: `http://127.0.0.1:${health}/readyz` }
      await Promise.race([findBalancer(name).add(backend), endedEarly(running)])
      return { name, running, backend }
    },
    async terminate({ name, running, backend }) {
      running.kill('SIGTERM')
      await findBalancer(name).removed(backend)
    },
    async stop() {
      await Promise.all(started.map((running) => running.stop()))
      await group.close()
      await Promise.all([...balancers.values()].map((balancer) => balancer.close()))
    },
  }
}

interface Own {
  readonly port: number
  readonly internalPort: number
  readonly directory: string
  readonly number: number
}

/** As pods have them: ports of their own, and a disk for each gateway, which its successor continues to use. */
function buildEnvironment(plan: ProcessPlan, { port, internalPort, directory, number }: Own): ProcessPlan['env'] {
  const own = {
    PORT: String(port),
    INTERNAL_PORT: String(internalPort),
    AUDIT_DIRECTORY: join(directory, `audit-${number}`),
  }
  const used = Object.entries(own).filter(([name]) => plan.env[name] !== undefined)
  return { ...plan.env, ...Object.fromEntries(used) }
}

async function endedEarly(running: Running): Promise<never> {
  const { code, signal } = await running.exited
  const end = lastLines(running.logFile)
  throw new Error(`${running.name} ended while starting (${signal ?? `exit code ${code}`}):\n${end}`)
}
