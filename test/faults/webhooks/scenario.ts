import type { Scenario } from '../runner/runner.ts'
import { backgroundLoadFaults } from './background-load.ts'
import { endpointFaults } from './endpoints.ts'
import { processFaults } from './processes.ts'
import { beginRound, type WebhookRound } from './round.ts'
import { serverFaults } from './servers.ts'
import { subscriptionFaults } from './subscriptions.ts'
import { openWorld } from './world.ts'

export const webhooks: Scenario<WebhookRound> = {
  faults: [...processFaults, ...serverFaults, ...endpointFaults, ...subscriptionFaults, ...backgroundLoadFaults],
  open: openWorld,
  begin: beginRound,
}
