import { globbed, matching } from './globbed.mjs'
import { nearestTests } from './nearest.mjs'

const tests = (folder, ...names) => names.map((name) => `${folder}/test/${name}.test.ts`)

/** Requests of tenants through the whole pipeline. */
const requests = tests('gateway', 'authenticate', 'raw', 'forward', 'audit', 'limit')
/** The verbs that move money. */
const commands = [
  'create-and-authorize-transaction',
  'capture-transaction',
  'complete-transaction',
  'refund-transaction',
  'void-transaction',
]

/**
 * The tests of a file: the first row whose pattern matches, or the nearest tests (nearest.mjs). The `fast` tests run
 * first and kill most mutants; the `slow` tests run for the survivors.
 */
const rows = [
  // They wire or count, and decide nothing.
  ['**/src/{main,deps,dispatcher}.ts', [], []],
  ['**/metrics.ts', [], []],
  ['gateway/src/config.ts', tests('gateway', 'config'), []],
  [
    'gateway/src/{app,server}.ts',
    tests('gateway', 'raw', 'body-budget', 'connections', 'head', 'public'),
    tests('gateway', 'drain', 'unverified'),
  ],
  ['gateway/src/route-table.ts', tests('gateway', 'route-table', 'request-target', 'raw'), requests],
  ['gateway/src/audit/folds.ts', tests('gateway', 'unverified'), tests('gateway', 'audit')],
  ['gateway/src/audit/response-gate.ts', tests('gateway', 'response-gate'), tests('gateway', 'spool', 'audit')],
  ['gateway/src/audit/shipper.ts', tests('gateway', 'shipper'), tests('gateway', 'spool')],
  [
    'gateway/src/audit/{write-ahead-file,line-queue,segment-writer,group-sync,segment,directory-lock}.ts',
    tests('gateway', 'write-ahead-file'),
    tests('gateway', 'spool'),
  ],
  [
    'gateway/src/audit/*.ts',
    tests('gateway', 'spool', 'response-gate', 'audit'),
    tests('gateway', 'shipper', 'reveals'),
  ],
  ['gateway/src/authorization/jwks.ts', tests('gateway', 'jwks', 'jwt-verifier'), tests('gateway', 'jwt-credentials')],
  [
    'gateway/src/authorization/jwt-verifier.ts',
    tests('gateway', 'jwt-credentials', 'jwt-verifier'),
    tests('gateway', 'authenticate', 'jwks'),
  ],
  [
    'gateway/src/authorization/credential-usage.ts',
    tests('gateway', 'credential-usage'),
    tests('gateway', 'resolver', 'sessions'),
  ],
  [
    'gateway/src/authorization/session-*.ts',
    tests('gateway', 'session-cache', 'session-token', 'sessions'),
    tests('gateway', 'lease-interleaving', 'step-up'),
  ],
  ['gateway/src/authorization/token-cache.ts', tests('gateway', 'token-cache'), tests('gateway', 'jwt-credentials')],
  [
    'gateway/src/authorization/{clock,lease,lease-reads,cached-load,dependency-cache,single-flight}.ts',
    tests('gateway', 'single-flight', 'lease', 'dependency-cache', 'lease-interleaving'),
    tests('gateway', 'resolver', 'authenticate'),
  ],
  [
    'gateway/src/authorization/role-cache.ts',
    tests('gateway', 'role-cache', 'resolver'),
    tests('gateway', 'lease-interleaving'),
  ],
  [
    'gateway/src/authorization/*.ts',
    tests('gateway', 'resolver', 'lease-interleaving'),
    tests('gateway', 'authenticate', 'key-rotation', 'credential-usage'),
  ],
  ['gateway/src/limits/body-budget.ts', tests('gateway', 'body-budget'), tests('gateway', 'raw')],
  ['gateway/src/limits/client-ip.ts', tests('gateway', 'address'), tests('gateway', 'limit', 'rate-limit', 'audit')],
  ['gateway/src/limits/connections.ts', tests('gateway', 'connections'), tests('gateway', 'limit')],
  ['gateway/src/limits/fleet-rates.ts', tests('gateway', 'fleet-rates'), tests('gateway', 'rate-limit', 'unverified')],
  [
    'gateway/src/limits/unverified-requests.ts',
    tests('gateway', 'unverified'),
    tests('gateway', 'limit', 'rate-limit'),
  ],
  [
    'gateway/src/limits/upstream-permits.ts',
    tests('gateway', 'upstream-permits'),
    tests('gateway', 'upstream-fairness'),
  ],
  ['gateway/src/limits/*.ts', tests('gateway', 'rate-limit', 'limit', 'reveals'), tests('gateway', 'unverified')],
  [
    'gateway/src/pipeline/audit.ts',
    tests('gateway', 'audit', 'service-page'),
    tests('gateway', 'reveals', 'decision-last', 'unverified'),
  ],
  ['gateway/src/pipeline/authenticate.ts', tests('gateway', 'authenticate', 'key-hash', 'unverified'), requests],
  [
    'gateway/src/pipeline/authorize.ts',
    tests('gateway', 'route-table', 'authenticate'),
    tests('gateway', 'decision-last'),
  ],
  ['gateway/src/pipeline/body.ts', tests('gateway', 'raw', 'body-budget', 'error-texts'), requests],
  ['gateway/src/pipeline/forward.ts', tests('gateway', 'forward', 'forward-failure', 'service-page', 'head'), requests],
  ['gateway/src/pipeline/limit.ts', tests('gateway', 'limit', 'rate-limit', 'reveals'), requests],
  ['gateway/src/pipeline/permit.ts', tests('gateway', 'upstream-fairness', 'upstream-permits'), requests],
  ['gateway/src/pipeline/trace.ts', tests('gateway', 'traceparent', 'raw'), requests],
  ['gateway/src/pipeline/upstream-problem.ts', tests('gateway', 'service-page', 'forward-failure'), requests],
  [
    'gateway/src/pipeline/*.ts',
    tests('gateway', 'request-target', 'traceparent', 'head'),
    tests('gateway', 'authenticate', 'audit', 'service-page', 'raw'),
  ],
  [
    'packages/chassis/src/database/transaction.ts',
    tests('packages/testing', 'idempotency', 'pool', 'transaction'),
    tests('services/rbac', 'contract', 'create-role', 'list-roles'),
  ],
  [
    'packages/chassis/src/request/idempotency.ts',
    tests('packages/testing', 'idempotency'),
    tests('services/payment-proxy', 'idempotency', 'idempotency-matrix', 'idempotency-contention', 'idempotency-retry'),
  ],
  [
    'packages/chassis/src/assertion/assertion.ts',
    tests('packages/chassis', 'assertion'),
    tests('services/audit', 'contract'),
  ],
  ['packages/chassis/src/base/card-number.ts', tests('packages/chassis', 'card-number'), []],
  [
    'packages/chassis/src/request/{router,signed-body}.ts',
    tests('packages/chassis', 'assertion', 'app', 'client', 'page', 'router', 'trace'),
    [
      ...tests('services/rbac', 'contract', 'create-role', 'list-roles'),
      ...tests('services/payment-proxy', 'contract', 'idempotency', 'create-transaction'),
    ],
  ],
  [
    'packages/chassis/src/base/batch.ts',
    tests('packages/chassis', 'batch'),
    [...tests('packages/testing', 'version-reads'), ...tests('gateway', 'lease-interleaving')],
  ],
  [
    'packages/chassis/src/{request/lease-listener,assertion/lease-signature}.ts',
    tests('packages/chassis', 'lease-listener'),
    tests('gateway', 'resolver'),
  ],
  [
    'gateway/src/authorization/lease-client.ts',
    tests('gateway', 'lease-client'),
    tests('gateway', 'resolver', 'fleet-rates'),
  ],
  [
    'packages/chassis/src/database/authorization-lease.ts',
    tests('packages/chassis', 'authorization-lease', 'client'),
    tests('gateway', 'lease-interleaving'),
  ],
  [
    'packages/chassis/src/database/authorization-version*.ts',
    tests('packages/testing', 'authorization-version*', 'version-reads'),
    [...tests('services/rbac', 'resolve-roles'), ...tests('services/api-key', 'identify-key')],
  ],
  [
    'services/audit/src/domain/*.ts',
    tests('services/audit', 'domain'),
    tests('services/audit', 'tampering', 'verify-chain', 'consume', 'retain-records', 'list-records'),
  ],
  [
    'services/payment-proxy/src/domain/*.ts',
    tests('services/payment-proxy', 'domain*'),
    tests(
      'services/payment-proxy',
      ...commands,
      'create-transaction',
      'reversal',
      'operation-table',
      'model',
      'contract',
    ),
  ],
  ['services/payment-proxy/src/operation/metrics.ts', tests('services/payment-proxy', 'open-work-metrics'), []],
  [
    'services/payment-proxy/src/operation/*.ts',
    tests('services/payment-proxy', 'operation-steps'),
    tests(
      'services/payment-proxy',
      ...commands,
      'provider',
      'idempotency',
      'idempotency-retry',
      'open-operation',
      'resume-open-operations',
      'sync-transaction',
      'model',
    ),
  ],
]

/**
 * The test files for each file of code.
 * @param {string} root
 * @param {readonly string[]} files every file of the checkout
 * @returns {(file: string) => { fast: string[], slow: string[] }}
 */
export function suitesOf(root, files) {
  const nearest = nearestTests(root, files)
  return (file) => {
    const row = rows.find(([pattern]) => globbed(pattern).test(file))
    if (row === undefined) return nearest(file)
    const [fast, slow] = row.slice(1).map((patterns) => matching(patterns, files))
    return { fast, slow: slow.filter((one) => !fast.includes(one)) }
  }
}

/** Patterns of the rows that match none of these files; each name in braces counts. */
export function unmatchedPatterns(files) {
  const patterns = rows.flat(2)
  return [...new Set(patterns.flatMap(alternatives))].filter((pattern) => matching([pattern], files).length === 0)
}

function alternatives(pattern) {
  const [before, names, after] = pattern.split(/\{(.*?)\}/)
  return names === undefined ? [pattern] : names.split(',').map((name) => `${before}${name}${after}`)
}
