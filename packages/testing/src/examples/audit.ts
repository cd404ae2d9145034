import type { Scenario } from './scenario.ts'

const hourMs = 3_600_000

/** Records, counts and usage, which follow the requests by some seconds. */
export async function recordAudit({ recorder, countAgain }: Scenario): Promise<void> {
  const ofRefunds = { limit: 2, operation: 'refundTransaction' }
  await recorder.recordWhen('listRecords', { query: ofRefunds }, ({ data }) => data.length > 0)
  await recorder.recordCounts('readChain', {}, ({ last_verified_at }) => last_verified_at !== null)
  const query = { from: new Date(Math.floor(Date.now() / hourMs) * hourMs).toISOString() }
  const hasCounted = ({ intervals }: any) => intervals.at(-1).success > 0
  await recorder.recordCounts('readAuditStatistics', { query: { ...query, client: 'console' } }, hasCounted)
  await recorder.recordCounts('readAuditUsage', {}, ({ requests }) => requests > 0)
  await countAgain()
  for (const name of ['readPaymentStatistics', 'readDeliveryStatistics'])
    await recorder.recordCounts(name, { query }, ({ intervals }) => intervals.at(-1).total > 0)
  for (const name of ['readPaymentUsage', 'readDeliveryUsage', 'readMessageUsage'])
    await recorder.recordCounts(name, {}, ({ total }) => total > 0)
}
