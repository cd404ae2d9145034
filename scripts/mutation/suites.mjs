/**
 * The tests of each file: the first row whose pattern matches. The `fast` tests run first and kill most mutants; the
 * `slow` tests run for the survivors. `*` matches anything except a slash, `**` anything.
 */
/** Without those that are slow and about one file only. */
const gateway = [
  'gateway/test/{address,audit,authenticate,resolver,forward,forward-failure,limit,raw,reveals,key-rotation,route-table}.test.ts',
]
const payments = ['services/payment-proxy/test/*.test.ts']
const tests = (folder, ...names) => names.map((name) => `${folder}/test/${name}.test.ts`)

const rows = [
  ['gateway/src/{main,deps}.ts', [], []],
  [
    'gateway/src/authorization/jwt-verifier.ts',
    tests('gateway', 'jwt-credentials', 'jwt-verifier'),
    tests('gateway', 'authenticate', 'jwks'),
  ],
  ['gateway/src/authorization/jwks.ts', tests('gateway', 'jwks', 'jwt-verifier'), tests('gateway', 'jwt-credentials')],
  ['gateway/src/route-table.ts', tests('gateway', 'route-table', 'raw'), gateway],
  ['gateway/src/pipeline/client-ip.ts', tests('gateway', 'address'), tests('gateway', 'limit', 'rate-limit', 'audit')],
  ['gateway/src/config.ts', tests('gateway', 'config'), []],
  ['gateway/src/pages/pages.ts', tests('gateway', 'pages'), []],
  ['gateway/src/limits/*.ts', tests('gateway', 'rate-limit', 'limit', 'reveals'), gateway],
  ['gateway/src/pipeline/limit.ts', tests('gateway', 'limit', 'rate-limit', 'reveals'), gateway],
  ['gateway/src/pipeline/forward.ts', tests('gateway', 'forward', 'forward-failure'), gateway],
  ['gateway/src/pipeline/audit.ts', tests('gateway', 'audit', 'reveals', 'spool'), gateway],
  ['gateway/src/pipeline/*.ts', tests('gateway', 'authenticate', 'raw', 'key-hash'), gateway],
  ['gateway/src/audit/{write-ahead-file,segment,directory-lock}.ts', tests('gateway', 'write-ahead-file'), gateway],
  ['gateway/src/audit/**.ts', tests('gateway', 'audit', 'spool', 'reveals'), gateway],
  ['gateway/src/authorization/key-usage.ts', tests('gateway', 'key-usage'), tests('gateway', 'resolver')],
  ['gateway/src/authorization/token-cache.ts', tests('gateway', 'token-cache'), tests('gateway', 'jwt-credentials')],
  [
    'gateway/src/authorization/{revalidator,dependency-cache,single-flight,version-reader}.ts',
    tests('gateway', 'revalidator', 'dependency-cache', 'version-reader', 'revalidator-interleaving'),
    gateway,
  ],
  ['gateway/src/authorization/*.ts', tests('gateway', 'resolver', 'authenticate'), gateway],
  ['gateway/src/**.ts', tests('gateway', 'raw', 'forward', 'audit'), gateway],
  [
    'packages/chassis/src/transaction.ts',
    tests('packages/testing', 'idempotency', 'pool'),
    tests('services/rbac', '*'),
  ],
  [
    'packages/chassis/src/idempotency.ts',
    tests('packages/testing', 'idempotency'),
    tests('services/payment-proxy', 'idempotency'),
  ],
  ['packages/chassis/src/assertion.ts', tests('packages/chassis', 'assertion'), tests('services/audit', 'contract')],
  ['packages/chassis/src/router.ts', tests('packages/chassis', 'assertion', 'app'), tests('services/rbac', '*')],
  ['packages/chassis/src/authorization-version*.ts', tests('packages/testing', 'authorization-version*'), []],
  ['services/audit/src/**.ts', tests('services/audit', 'chain', 'retain-records', 'list-records'), []],
  ['services/payment-proxy/src/domain/*.ts', tests('services/payment-proxy', 'domain', 'model'), payments],
  [
    'services/payment-proxy/src/operation/*.ts',
    tests('services/payment-proxy', 'authorize', 'capture-void-refund', 'provider', 'open-operation'),
    payments,
  ],
]

/** The files that decide: whose mutants are worth a run. */
export const decisive = [
  'gateway/src/**.ts',
  'packages/chassis/src/{transaction,idempotency,assertion,router,authorization-version}*.ts',
  'services/audit/src/domain/*.ts',
  'services/audit/src/verbs/verify-chain.ts',
  'services/payment-proxy/src/{domain,operation}/*.ts',
]

/** `*`, `**` and `{a,b}`. */
export function globbed(pattern) {
  const source = pattern.replaceAll(/[.+^$()|[\]\\]/g, '\\$&').replaceAll(/\*\*|\*|\{[^}]*\}/g, (part) => {
    if (part === '**') return '.*'
    return part === '*' ? '[^/]*' : `(?:${part.slice(1, -1).replaceAll(',', '|')})`
  })
  return new RegExp(`^${source}$`)
}

/**
 * The test files for one file of code.
 * @param {string} file
 * @param {readonly string[]} files every file of the checkout
 * @returns {{ fast: string[], slow: string[] }}
 */
export function suitesFor(file, files) {
  const row = rows.find(([pattern]) => globbed(pattern).test(file))
  if (row === undefined) throw new Error(`scripts/mutation/suites.mjs names no tests for ${file}`)
  const [fast, slow] = row.slice(1).map((patterns) => matching(patterns, files))
  return { fast, slow: slow.filter((one) => !fast.includes(one)) }
}

export function matching(patterns, files) {
  const wanted = patterns.map(globbed)
  return files.filter((file) => wanted.some((pattern) => pattern.test(file)))
}
