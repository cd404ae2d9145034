/** Names at RabbitMQ, before the prefix of the environment. */
export const domainEventsName = 'domain-events'

/** The marker queue of a service, and its exchange. */
export const markerName = (service: string): string => `marker.${service}`

/** The exchange with which a service publishes to its own queues, by their names. */
export const ownExchangeName = (service: string): string => `${service}.queues`

/** The name of an exchange or queue in one environment: dev, qa, prod and tests can share a broker. */
export const prefixName = (prefix: string, name: string): string => (prefix === '' ? name : `${prefix}.${name}`)
