import { Agent, type AgentOptions } from 'node:http'

/** Maximum idle time of a connection to a service. `DRAIN_DELAY_MS` of the service must be longer. */
export const idleMsMax = 4_000

/**
 * An agent for calls to services, which closes an idle connection. While a service drains, its response closes the
 * connection. So every connection is closed before the listener, and no request arrives at a closing connection.
 */
export function serviceAgent(options: Pick<AgentOptions, 'maxSockets' | 'maxFreeSockets'>): Agent {
  return new Agent({ keepAlive: true, timeout: idleMsMax, ...options })
}
