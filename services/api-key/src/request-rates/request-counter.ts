import { Batch } from '@payments/chassis/base/batch'
import type { SqlTx } from '@payments/chassis/database/transaction'
import type { RequestCounts, RequestReport } from '@payments/contracts/endpoints/authorization-lease'
import { addRequests, announceReplicas } from '../store/counters.ts'

/**
 * **What it does.** Adds the requests of gateway replicas to the shared buckets. The gateways decide which requests are
 * rejected.
 *
 * **Participants.** Reports that arrive while a statement is in progress share the next one, up to eight of them, in
 * the order of their arrival. The presence of a replica is stored once a second, not with each report.
 *
 * **Guarantees.** Each report is added once or its promise is rejected. A replica has a presence for three seconds
 * after it was last stored, hence for two seconds or more after its last report.
 */
export type RequestCounter = (report: RequestReport) => Promise<RequestCounts>

const reportsPerStatementMax = 8
const waitingMax = 1_000
/** Less than the interval of an idle replica, so that each of its reports stores its presence. */
const presenceIntervalMs = 800
const replicasMax = 10_000

export function createRequestCounter(sql: SqlTx, now: () => number = () => performance.now()): RequestCounter {
  const storedAt = new Map<string, number>()
  let replicas = 1

  const storePresences = async (reports: readonly RequestReport[]) => {
    const at = now()
    const isDue = (replica: string) => at - (storedAt.get(replica) ?? Number.NEGATIVE_INFINITY) >= presenceIntervalMs
    const due = [...new Set(reports.map(({ replica }) => replica))].filter(isDue)
    if (due.length === 0) return
    replicas = await announceReplicas(sql, due)
    if (storedAt.size > replicasMax) storedAt.clear()
    for (const replica of due) storedAt.set(replica, at)
  }
  const add = async (reports: readonly RequestReport[]) => {
    const counts = reports.flatMap(({ requests }) => requests)
    return counts.length === 0 ? new Map<string, number>() : addRequests(sql, counts)
  }
  const count = async (reports: readonly RequestReport[]): Promise<RequestCounts[]> => {
    const [fullIn] = await Promise.all([add(reports), storePresences(reports)])
    return reports.map(({ requests }) => ({
      replicas,
      full_in_seconds: requests.map(({ subject }) => Math.max(0, fullIn.get(subject) ?? 0)),
    }))
  }
  const batch = new Batch(count, { itemsMax: reportsPerStatementMax, runningMax: 1, gatherMs: 0, waitingMax })
  return (report) => batch.add(report)
}
