import { configSuite, generateKeys, serviceVariables } from '@payments/testing/suites/config'
import { readConfig } from '../src/config.ts'

configSuite({
  readConfig,
  variables: {
    ...serviceVariables,
    API_KEY_URL: 'http://127.0.0.1:8081',
    IDENTITY_URL: 'http://127.0.0.1:8090',
    EVENT_SIGN_KEYS: generateKeys('webhooks'),
    ASSERTION_SIGN_KEYS: generateKeys('api-key', 'identity'),
  },
})
