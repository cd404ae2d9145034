import { restarts } from './restarts/restart-each.ts'

/** Both servers, a service, and each other kind of process. restarts.long.test.ts kills all. */
restarts({
  writesPerSecond: 20,
  chosen: ['postgres', 'rabbitmq', 'payment-proxy', 'webhooks-dispatcher', 'gateway'],
})
