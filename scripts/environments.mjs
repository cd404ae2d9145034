/** The processes that read an environment: name, folder, and the export of its config.ts. */
export const environments = [
  ['gateway', 'gateway', 'environment'],
  ['api-key', 'services/api-key', 'environment'],
  ['rbac', 'services/rbac', 'environment'],
  ['webhooks', 'services/webhooks', 'environment'],
  ['webhooks dispatcher', 'services/webhooks', 'dispatcherEnvironment'],
  ['payment-proxy', 'services/payment-proxy', 'environment'],
  ['business-unit', 'services/business-unit', 'environment'],
  ['communication', 'services/communication', 'environment'],
  ['invite-to-pay', 'services/invite-to-pay', 'environment'],
  ['audit', 'services/audit', 'environment'],
  ['payctl', 'packages/payctl', 'environment'],
]
