/** Who may import whom: ARCHITECTURE.md says why. test/boundaries.test.ts plants a violation of each rule and sees it refused. */
const contractFiles = '^packages/contracts/src/(api-key|rbac|webhooks|payment-proxy|audit)\\.ts$'
const doors = '^services/[^/]+/src/(routes|consumers|jobs)\\.ts$'

/** @type {import('dependency-cruiser').IConfiguration} */
module.exports = {
  forbidden: [
    {
      name: 'no-cycle',
      comment: 'A cycle has no order in which it can be understood.',
      severity: 'error',
      from: {},
      to: { circular: true },
    },
    {
      name: 'resolvable',
      comment: 'An import that resolves to nothing is a mistake, or hides from the other rules.',
      severity: 'error',
      from: { pathNot: '/generated/' },
      to: { couldNotResolve: true },
    },
    {
      name: 'contracts-import-zod-only',
      comment: 'Everyone imports the contracts, so they may drag nothing along.',
      severity: 'error',
      from: { path: '^packages/contracts/src/' },
      to: { pathNot: ['^packages/contracts/src/', 'node_modules/zod/', '^(node:)?(buffer|crypto|zlib)$'] },
    },
    {
      name: 'contract-files-apart',
      comment: "One service's promise does not depend on another's.",
      severity: 'error',
      from: { path: contractFiles },
      to: { path: contractFiles },
    },
    {
      name: 'foundations-apart',
      comment: 'messaging and vault may import chassis. They do not import each other, and chassis imports neither.',
      severity: 'error',
      from: { path: '^packages/(chassis|messaging|vault)/src/' },
      to: {
        path: '^(packages/(messaging|vault|devkit|payctl)|services|gateway)/',
        pathNot: '^packages/$1/',
      },
    },
    {
      name: 'services-apart',
      comment: 'Services meet on the wire, through client(contract).',
      severity: 'error',
      from: { path: '^services/([^/]+)/src/' },
      to: { path: '^(services/[^/]+|gateway)/', pathNot: '^services/$1/' },
    },
    {
      name: 'gateway-apart',
      comment: 'The gateway knows the contracts, not the services.',
      severity: 'error',
      from: { path: '^gateway/src/' },
      to: { path: '^services/' },
    },
    {
      name: 'packages-below-services',
      comment: 'A package that knows a service is a part of that service.',
      severity: 'error',
      from: { path: '^packages/[^/]+/src/' },
      to: { path: '^(services|gateway)/' },
    },
    {
      name: 'testing-from-tests-only',
      comment: 'What tests stand on is no part of what runs.',
      severity: 'error',
      from: { pathNot: ['/test/', '^test/', '^packages/testing/'] },
      to: { path: '^packages/testing/' },
    },
    {
      name: 'devkit-on-this-machine-only',
      comment: 'Provisioning a developer machine is no part of what runs in production.',
      severity: 'error',
      from: { pathNot: ['/test/', '^test/', '^bench/', '^scripts/', '^packages/(testing|devkit)/'] },
      to: { path: '^packages/devkit/' },
    },
    {
      name: 'domain-is-pure',
      comment: 'Rules are functions of values: no I/O, no framework, nothing above them.',
      severity: 'error',
      from: { path: '^services/([^/]+)/src/domain/' },
      to: {
        pathNot: [
          '^services/$1/src/domain/',
          '^packages/contracts/src/',
          '^(node:)?(buffer|crypto)$',
          'node_modules/ipaddr\\.js/',
        ],
      },
    },
    {
      name: 'verbs-know-no-http-server',
      comment: 'A verb is called by a door; it does not know which.',
      severity: 'error',
      from: { path: '^services/[^/]+/src/(verbs|store)/' },
      to: { path: 'node_modules/(express|supertest|pino-http)/' },
    },
    {
      name: 'verbs-call-no-verb',
      comment: 'One verb, one transaction. What two verbs share is a rule or a store function.',
      severity: 'error',
      from: { path: '^services/[^/]+/src/verbs/' },
      to: { path: '^services/[^/]+/src/(verbs/|app|main|routes|consumers|jobs)' },
    },
    {
      name: 'store-is-below-verbs',
      comment: 'main → app → doors → verbs → store.',
      severity: 'error',
      from: { path: '^services/[^/]+/src/store/' },
      to: { path: '^services/[^/]+/src/(verbs/|app|main|dispatcher|routes|consumers|jobs|deps)' },
    },
    {
      name: 'only-store-knows-prisma',
      comment: 'One place knows how rows are read and written.',
      severity: 'error',
      from: {
        path: '^(services|gateway|packages)/',
        pathNot: ['/src/store/', '/src/generated/', '/test/', '^packages/devkit/', 'prisma\\.config\\.ts$'],
      },
      to: { path: ['/src/generated/', 'node_modules/(@prisma|\\.prisma|prisma)/'] },
    },
    {
      name: 'doors-open-on-verbs',
      comment: 'A door is a table from a promise to a verb; deciding and storing happen behind it.',
      severity: 'error',
      from: { path: doors },
      to: { path: '^services/[^/]+/src/(store|generated)/' },
    },
  ],
  options: {
    doNotFollow: { path: ['node_modules', '/generated/'] },
    exclude: { path: ['/dist/', '^\\.data/'] },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.base.json' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['source', 'import', 'require', 'node', 'default', 'types'],
      extensions: ['.ts', '.js', '.mjs', '.json'],
    },
  },
}
