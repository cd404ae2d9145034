import { configSuite, keysOf, serviceVariables, vaultVariables } from '@payments/testing/suites/config'
import { readConfig } from '../src/config.ts'

configSuite({
  readConfig,
  variables: {
    ...serviceVariables,
    ...vaultVariables,
    RBAC_URL: 'http://127.0.0.1:8082',
    EVENT_SIGN_KEYS: keysOf('webhooks'),
    ASSERTION_SIGN_KEYS: keysOf('rbac'),
    API_KEY_PEPPERS: keysOf('p1'),
    API_KEY_PEPPER_CURRENT: 'p1',
  },
})
