/**
 * **What it does.** Runs Prometheus beside the local stack, with the rules of the folder observe, for `npm start --
 * --observe`.
 *
 * **Guarantees.** Prometheus listens on loopback only, stores its data below `.data`, and ends with the stack.
 *
 * **Not guaranteed.** Notifications: no Alertmanager is configured. The page of Prometheus shows the alerts.
 */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { find } from '../machine/machine.ts'
import { type PortUse, portFrom } from '../machine/ports.ts'
import { type Environment, root } from '../machine/profile.ts'
import { UserError } from '../machine/user-error.ts'
import { lastLines, type ProcessGroup, type Running, until } from '../processes/process-group.ts'
import type { ProcessPlan } from './process-plan.ts'

const scrapeInterval = '5s'
const readyTimeoutMs = 60_000
const probeTimeoutMs = 3_000
const retention = { time: '2d', size: '512MB' }

/** The port of Prometheus. Debian's service uses 9090. */
export function prometheusPort(env: Environment): PortUse {
  const variable = 'PROMETHEUS_PORT'
  return { port: portFrom(env, variable, 19_090), purpose: 'Prometheus', variable }
}

/** Prometheus of this machine. Throws the message that says how to install it. */
export function requirePrometheus(): string {
  const program = find('prometheus')
  if (program !== undefined) return program
  throw new UserError(
    '--observe needs Prometheus. Install it: apt-get install prometheus (Debian, Ubuntu), brew install prometheus (macOS).',
  )
}

export interface PrometheusOptions {
  readonly program: string
  /** Parent of the configuration and of the stored samples. */
  readonly directory: string
  readonly logFile: string
  readonly port: number
  readonly plans: readonly Pick<ProcessPlan, 'name' | 'readyUrl'>[]
}

/** Starts Prometheus and returns once it is ready. */
export async function startPrometheus(
  group: ProcessGroup,
  options: PrometheusOptions,
): Promise<{ readonly url: string; readonly server: Running }> {
  const { program, directory, logFile, port, plans } = options
  const own = join(directory, 'prometheus')
  const config = join(own, 'prometheus.yml')
  mkdirSync(own, { recursive: true })
  // JSON is YAML.
  writeFileSync(config, `${JSON.stringify(prometheusConfig(plans), null, 2)}\n`)
  const server = group.launch({
    name: 'prometheus',
    command: program,
    args: [
      `--config.file=${config}`,
      `--storage.tsdb.path=${join(own, 'data')}`,
      `--storage.tsdb.retention.time=${retention.time}`,
      `--storage.tsdb.retention.size=${retention.size}`,
      `--web.listen-address=127.0.0.1:${port}`,
      // By default, every page in the browser of the developer may read the samples.
      `--web.cors.origin=http://127\\.0\\.0\\.1:${port}`,
    ],
    env: process.env,
    logFile,
  })
  const url = `http://127.0.0.1:${port}`
  const isReady = await until(async () => server.hasExited() || (await responds(`${url}/-/ready`)), readyTimeoutMs)
  if (server.hasExited() || !isReady)
    throw new UserError(`Prometheus did not become ready. The end of ${logFile}:\n${lastLines(logFile)}`)
  return { url, server }
}

async function responds(url: string): Promise<boolean> {
  try {
    return (await fetch(url, { signal: AbortSignal.timeout(probeTimeoutMs) })).ok
  } catch {
    return false // not listening yet
  }
}

/**
 * As observe/prometheus/prometheus.yml, with the ports of this machine. Each process serves its metrics beside its
 * readiness. A target has the label `service` of its samples, which names a process that does not respond.
 */
function prometheusConfig(plans: PrometheusOptions['plans']): object {
  return {
    global: { scrape_interval: scrapeInterval, evaluation_interval: scrapeInterval },
    rule_files: [join(root, 'observe', 'prometheus', 'rules', '*.yml')],
    scrape_configs: [
      {
        job_name: 'payments',
        honor_labels: true,
        static_configs: plans.map(({ name, readyUrl }) => ({
          targets: [new URL(readyUrl).host],
          labels: { service: name },
        })),
      },
    ],
  }
}
