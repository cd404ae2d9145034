/** What a message to a worker is made of. */
export interface WorkItem {
  readonly id: string
  readonly tenantId: string
  readonly subscriptionId: string
  readonly attemptCount: number
}
