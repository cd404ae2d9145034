import { configSuite, generateKeys, serviceVariables, vaultVariables } from '@payments/testing/suites/config'
import { readConfig } from '../src/config.ts'

configSuite({
  readConfig,
  variables: {
    ...serviceVariables,
    ...vaultVariables,
    RBAC_URL: 'http://127.0.0.1:8082',
    EVENT_SIGN_KEYS: generateKeys('webhooks'),
    ASSERTION_SIGN_KEYS: generateKeys('rbac'),
    API_KEY_PEPPERS: generateKeys('p1'),
    API_KEY_PEPPER_CURRENT: 'p1',
  },
})
