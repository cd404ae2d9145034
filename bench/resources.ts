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
import { randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { type ProcessName, processNames } from '@payments/devkit/platform/process-plan'
import { withClient } from '@payments/devkit/servers/databases'
import { testAddress } from '@payments/devkit/tests/test-address'
import { startTestStack, type TestStack } from '@payments/testing/platform/local-stack'
import type { PaymentsRequest, PaymentsResult } from './load/payments-load.ts'
import { unlimitedRates } from './load/unlimited-rates.ts'
import { measureRest, printRest } from './measure/at-rest.ts'
import { benchOptions } from './measure/bench-options.ts'
import { startChild, withCleanup } from './measure/child-process.ts'
import { cpuMs } from './measure/cpu-time.ts'
import { residentMemory } from './measure/resident-memory.ts'
import { machineDescription, roundTo } from './measure/sample-statistics.ts'
import type { ReceiverReady, ReceiverReport } from './webhooks/receiver.ts'

const { rate, seconds, idle, subscriptions } = benchOptions({ rate: 50, seconds: 60, idle: 60, subscriptions: 2 })
const sampleMs = 1_000
const warmUpSeconds = 10
/** Marks of events and audit records are written after their responses. */
const settleSeconds = 20

interface Tenant {
  readonly tenant_id: string
  readonly business_unit_id: string
  readonly api_key: { readonly value: string }
}

interface Usage {
  readonly cpuMillicores: number
  readonly rssMbMax: number
}

await withCleanup(async (cleanups) => {
  const stack = await startTestStack({ env: unlimitedRates })
  cleanups.push(() => stack.stop())
  const receiver = await startChild<ReceiverReady, object, ReceiverReport>('webhooks/receiver', {
    args: [String(subscriptions)],
  })
  cleanups.push(receiver.end)
  const load = await startChild<object, PaymentsRequest, PaymentsResult>('load/payments-load')
  cleanups.push(load.end)
  const pay = await payer(stack, receiver.ready.urls, (request) => load.request(request))
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
  const { statuses, sent, p50Ms, p99Ms } = await payments
  console.table(processNames.map((name) => toRow(name, atRest, underLoad)))
  const { responded } = await receiver.request({})
  console.log(`Payments by status: ${JSON.stringify(statuses)}`)
  console.log(
    `${statuses['201'] ?? 0} of ${sent} payments authorized at ${rate}/s, p50 ${roundTo(p50Ms, 1)} ms, ` +
      `p99 ${roundTo(p99Ms, 1)} ms; ${responded} deliveries since the start`,
  )
})
process.exit()

/** A tenant with subscriptions for all events. Returns a load of payments for a number of seconds. */
async function payer(
  stack: TestStack,
  destinations: readonly string[],
  send: (request: PaymentsRequest) => Promise<PaymentsResult>,
): Promise<(forSeconds: number) => Promise<PaymentsResult>> {
  const { stdout } = await stack.payctl('tenant', 'create', '--name', 'Bench', '--json', '--show-key')
  const { tenant_id: tenantId, business_unit_id: unit, api_key: key } = JSON.parse(stdout) as Tenant
  const headers = {
    Authorization: `Bearer ${key.value}`,
    'Tenant-ID': tenantId,
    'Content-Type': 'application/json',
  }
  for (const destination_url of destinations) {
    const response = await fetch(`${stack.gatewayUrl}/v1/webhooks/${unit}/webhooks`, {
      method: 'POST',
      headers: { ...headers, 'Trace-ID': randomUUID() },
      body: JSON.stringify({ destination_url }),
    })
    if (response.status !== 201) throw new Error(`subscription: ${response.status} ${await response.text()}`)
  }
  const payment_details = { payment_method: 'CREDIT_CARD', cc_token: 'tok_sandbox_visa' }
  const body = { business_unit_id: unit, currency: 'EUR', payment_details }
  const url = `${stack.gatewayUrl}/v1/payment-proxy/transactions/authorize`
  return (forSeconds) => send({ url, headers, perSecond: rate, seconds: forSeconds, body })
}

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
