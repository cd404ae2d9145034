/** Identifies a delivery and the attempt that a worker is to make. */
export interface WorkItem {
  readonly id: string
  readonly tenantId: string
  readonly subscriptionId: string
  readonly attemptCount: number
}
