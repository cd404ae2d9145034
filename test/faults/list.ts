import { backgroundLoadFaults } from './background-load.ts'
import { endpointFaults } from './endpoints.ts'
import type { Fault } from './fault.ts'
import { processFaults } from './processes.ts'
import { serverFaults } from './servers.ts'
import { subscriptionFaults } from './subscriptions.ts'

export const faults: readonly Fault[] = [
  ...processFaults,
  ...serverFaults,
  ...endpointFaults,
  ...subscriptionFaults,
  ...backgroundLoadFaults,
]
