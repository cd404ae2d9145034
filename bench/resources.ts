/**
 * Memory and CPU of each process, idle and under load: the figures behind requests and limits in k8s/base. And the CPU
 * of the whole platform at rest, with its servers.
 *
 *   npm run bench resources -- [--rate 50] [--seconds 60] [--idle 60] [--subscriptions 2]
 *
 * With `--seconds 0` there is no load.
 *
 * The load is payments through the gateway at `rate` per second, each authorized by the sandbox. Each payment emits two
 * events (create, authorize), and each event is delivered to `subscriptions` destinations. A thousandth of a core is
 * written m, as in Kubernetes. Memory is the largest resident set of samples one second apart, without a forced
 * collection, so V8 may use what its heap flags permit.
 */
import { setTimeout as delay } from 'node:timers/promises'
import { type ProcessName, processNames } from '@payments/devkit/platform/process-plan'
import { withClient } from '@payments/devkit/servers/databases'
import { testAddress } from '@payments/devkit/tests/test-address'
import { startTestStack, type TestStack } from '@payments/testing/platform/local-stack'
import { authorizationLoad, createTenant, subscribe } from './load/tenant.ts'
import type { TransactionsRequest, TransactionsResult } from './load/transactions-load.ts'
import { unlimitedRates } from './load/unlimited-rates.ts'
import { measureRest, printRest } from './measure/at-rest.ts'
import { benchOptions } from './measure/bench-options.ts'
import { startChild, withCleanup } from './measure/child-process.ts'
import { cpuMs } from './measure/cpu-time.ts'
import { residentMemory } from './measure/resident-memory.ts'
import { machineDescription, percentile, roundTo } from './measure/sample-statistics.ts'
import { startReceiver } from './webhooks/setup.ts'

const { rate, seconds, idle, subscriptions } = benchOptions({ rate: 50, seconds: 60, idle: 60, subscriptions: 2 })
const sampleMs = 1_000
const warmUpSeconds = 10
/** Marks of events and audit records are written after their responses. */
const settleSeconds = 20

interface Usage {
  readonly cpuMillicores: number
  readonly rssMbMax: number
}

await withCleanup(async (cleanups) => {
  const stack = await startTestStack({ env: unlimitedRates })
  cleanups.push(() => stack.stop())
  const receiver = await startReceiver(cleanups, subscriptions)
  const load = await startChild<object, TransactionsRequest, TransactionsResult>(cleanups, 'load/transactions-load')
  const tenant = await createTenant(stack)
  for (const url of receiver.ready.urls) await subscribe(stack.gatewayUrl, tenant, url)
  const call = authorizationLoad(stack.gatewayUrl, tenant)
  const pay = (forSeconds: number) => load.request({ ...call, pace: { perSecond: rate, seconds: forSeconds } })
  await delay(settleSeconds * 1_000)
  const { usage: atRest, rest } = await withClient(testAddress('TEST_DATABASE_URL'), async (administrator) => {
    const resting = measureRest(stack, administrator, idle)
    return { usage: await usageDuring(stack, resting), rest: await resting }
  })
  console.log(machineDescription())
  printRest(rest)
  if (seconds === 0) return
  await pay(warmUpSeconds)
  const payments = pay(seconds)
  const underLoad = await usageDuring(stack, payments)
  const { created, failures, sent, latenciesMs } = await payments
  const latency = (share: number) => roundTo(percentile(latenciesMs, share), 1)
  console.table(processNames.map((name) => toRow(name, atRest, underLoad)))
  const { responded } = await receiver.request({})
  console.log(`Failed payments by status: ${JSON.stringify(failures)}`)
  console.log(
    `${created.length} of ${sent} payments authorized at ${rate}/s, p50 ${latency(0.5)} ms, ` +
      `p99 ${latency(0.99)} ms; ${responded} deliveries since the start`,
  )
})
process.exit()

/** CPU and memory of every process until `work` has ended. */
async function usageDuring(stack: TestStack, work: Promise<unknown>): Promise<Map<ProcessName, Usage>> {
  const pids = processNames.map((name) => ({ name, pid: stack.pid(name) }))
  const rssMbMax = new Map<ProcessName, number>()
  const before = new Map(pids.map(({ name, pid }) => [name, cpuMs(pid)]))
  const startedAt = performance.now()
  let ended = false
  const end = () => {
    ended = true
  }
  const done = work.then(end, end)
  while (!ended) {
    for (const { name, pid } of pids) rssMbMax.set(name, Math.max(rssMbMax.get(name) ?? 0, residentMemory(pid).rssMb))
    await Promise.race([done, delay(sampleMs)])
  }
  const tookSeconds = (performance.now() - startedAt) / 1_000
  const usages = pids.map(({ name, pid }) => {
    const cpuMillicores = Math.round((cpuMs(pid) - (before.get(name) ?? 0)) / tookSeconds)
    return [name, { cpuMillicores, rssMbMax: rssMbMax.get(name) ?? 0 }] as const
  })
  return new Map(usages)
}

function toRow(name: ProcessName, atRest: Map<ProcessName, Usage>, underLoad: Map<ProcessName, Usage>) {
  return {
    process: name,
    'idle, CPU m': atRest.get(name)?.cpuMillicores,
    'idle, MB': atRest.get(name)?.rssMbMax,
    'load, CPU m': underLoad.get(name)?.cpuMillicores,
    'load, MB': underLoad.get(name)?.rssMbMax,
  }
}
