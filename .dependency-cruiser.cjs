const { readdirSync, readFileSync } = require('node:fs')
const { join } = require('node:path')

/**
 * Rules for imports between modules. ARCHITECTURE.md states why, and test/boundaries.test.ts plants violations of each
 * rule and expects the cruiser to report them. Files are matched by pattern, so the rules hold for a new file from its
 * first line. `.dependency-cruiser-known-violations.json` lists the violations that are left; the list may only shrink.
 */
const contracts = 'packages/contracts/src'
/** A contract file is a file that calls `contract({`. */
const contractFiles = readdirSync(join(__dirname, contracts), { recursive: true })
  .filter(
    (file) => file.endsWith('.ts') && readFileSync(join(__dirname, contracts, file), 'utf8').includes('contract({'),
  )
  .map((file) => `^${contracts}/${file.replaceAll('.', '\\.')}$`)

const source = '^services/[^/]+/src/'
/** Routes, consumers and jobs, in `src/` or in the folder of one process of the service: `api/`, `dispatch/`. */
const entryPoints = `${source}(api/|dispatch/)?[\\w-]*(routes|consumers|jobs)\\.ts$`
const apps = `${source}(api/|dispatch/)?(app|start)\\.ts$`
const mains = `${source}(main|dispatcher)\\.ts$`
const deps = `${source}(api/|dispatch/)?deps\\.ts$`

/** @type {import('dependency-cruiser').IConfiguration} */
module.exports = {
  forbidden: [
    {
      name: 'no-cycle',
      comment: 'Files of a cycle cannot be understood one after the other.',
      severity: 'error',
      from: {},
      to: { circular: true },
    },
    {
      name: 'folders-in-one-direction',
      comment:
        'Folders of a cycle cannot be understood one after the other. Files beside a folder are above or below it.',
      severity: 'error',
      scope: 'folder',
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
      comment: 'Every package imports the contracts, so the contracts import nothing else.',
      severity: 'error',
      from: { path: '^packages/contracts/src/' },
      to: { pathNot: ['^packages/contracts/src/', 'node_modules/zod/', '^(node:)?(buffer|crypto|url|zlib)$'] },
    },
    {
      name: 'contract-files-apart',
      comment: 'The contract of a service does not depend on another contract.',
      severity: 'error',
      from: { path: contractFiles },
      to: { path: contractFiles },
    },
    {
      name: 'foundations-apart',
      comment: 'messaging, vault and egress may import chassis. They do not import each other; chassis imports none.',
      severity: 'error',
      from: { path: '^packages/(chassis|messaging|vault|egress)/src/' },
      to: {
        path: '^(packages/(messaging|vault|egress|service|devkit|payctl)|services|gateway)/',
        pathNot: '^packages/$1/',
      },
    },
    {
      name: 'texts-are-data',
      comment: 'texts has a file per language, with no code but HTML. Gateway and services render them.',
      severity: 'error',
      from: { path: '^packages/texts/src/' },
      to: { pathNot: ['^packages/(texts|contracts)/src/', '^packages/chassis/src/base/html\\.ts$'] },
    },
    {
      name: 'service-above-foundations',
      comment: 'A service imports packages/service, which stands above chassis, messaging and vault.',
      severity: 'error',
      from: { path: '^packages/service/src/' },
      to: { path: '^packages/', pathNot: '^packages/(service|contracts|chassis|messaging|vault)/' },
    },
    {
      name: 'client-apart',
      comment: 'Tenants install the client, which is published without the other packages.',
      severity: 'error',
      from: { path: '^packages/client/src/' },
      to: { pathNot: '^packages/client/src/' },
    },
    {
      name: 'client-for-tenants-only',
      comment:
        'Services communicate through client(contract), which has internal endpoints and assertions. The sample data ' +
        'comes from a tenant.',
      severity: 'error',
      from: { pathNot: ['/test/', '^test/', '^packages/(client|console)/', '^packages/devkit/src/sample/'] },
      to: { path: '^packages/client/' },
    },
    {
      name: 'console-pages-apart',
      comment: 'Pages of one resource import no pages of another. Parts that both show are in src/parts, layout or ui.',
      severity: 'error',
      from: { path: '^packages/console/src/pages/([^/]+)/' },
      to: { path: '^packages/console/src/pages/', pathNot: '^packages/console/src/pages/$1/' },
    },
    {
      name: 'console-uses-the-client',
      comment:
        'The console calls the public API, and does so through the client of tenants. It has no code of servers.',
      severity: 'error',
      from: { path: '^packages/console/src/' },
      to: {
        pathNot: [
          '^packages/(console|client)/',
          'node_modules/(react|react-dom|@types/react|@types/react-dom|@tanstack/react-(router|query|virtual))/',
        ],
      },
    },
    {
      name: 'documentation-is-files',
      comment: 'The gateway serves the files that docs-site writes, so no process renders documentation.',
      severity: 'error',
      from: { pathNot: ['^test/', '^packages/docs-site/'] },
      to: { path: '^packages/docs-site/' },
    },
    {
      name: 'services-apart',
      comment: 'Services communicate over HTTP, through client(contract).',
      severity: 'error',
      from: { path: '^services/([^/]+)/src/' },
      to: { path: '^(services/[^/]+|gateway)/', pathNot: '^services/$1/' },
    },
    {
      name: 'gateway-apart',
      comment: 'The gateway imports the contracts, not the services.',
      severity: 'error',
      from: { path: '^gateway/src/' },
      to: { path: '^services/' },
    },
    {
      name: 'packages-below-services',
      comment: 'A package that imports a service is a part of that service.',
      severity: 'error',
      from: { path: '^packages/[^/]+/src/' },
      to: { path: '^(services|gateway)/' },
    },
    {
      name: 'testing-from-tests-only',
      comment: 'Code for tests does not run in production.',
      severity: 'error',
      from: { pathNot: ['/test/', '^test/', '^packages/testing/'] },
      to: { path: '^packages/testing/' },
    },
    {
      name: 'devkit-on-this-machine-only',
      comment: 'Provisioning of a developer machine does not run in production.',
      severity: 'error',
      from: { pathNot: ['/test/', '^test/', '^bench/', '^scripts/', '^packages/(testing|devkit)/'] },
      to: { path: '^packages/devkit/' },
    },
    {
      name: 'domain-is-pure',
      comment: 'Domain functions are functions of values: no I/O, no framework, no state, nothing above them.',
      severity: 'error',
      from: { path: '^services/([^/]+)/src/domain/' },
      to: {
        pathNot: [
          '^services/$1/src/domain/',
          '^packages/(contracts|texts)/src/',
          '^(node:)?(buffer|crypto)$',
          // A function of text.
          '/node_modules/sanitize-html/',
        ],
      },
    },
    {
      name: 'verbs-know-no-http-server',
      comment: 'An entry point calls a verb; the verb does not depend on which.',
      severity: 'error',
      from: { path: `${source}(verbs|store)/` },
      to: { path: 'node_modules/(express|supertest|pino-http)/' },
    },
    {
      name: 'verbs-call-no-verb',
      comment: 'One verb, one transaction. Code that two verbs share is a domain or store function.',
      severity: 'error',
      from: { path: `${source}verbs/` },
      to: { path: [`${source}verbs/`, apps, mains, entryPoints] },
    },
    {
      name: 'store-is-below-verbs',
      comment: 'main → app → entry points → verbs → store.',
      severity: 'error',
      from: { path: `${source}store/` },
      to: { path: [`${source}verbs/`, apps, mains, entryPoints, deps] },
    },
    {
      name: 'only-store-knows-prisma',
      comment: 'Rows are read and written in one place.',
      severity: 'error',
      from: {
        path: '^(services|gateway|packages)/',
        pathNot: [
          '/src/store/',
          '/src/generated/',
          '/test/',
          '^packages/(devkit|client|console)/',
          // Opens the client that a service generates.
          '^packages/service/src/database\\.ts$',
          'prisma\\.config\\.ts$',
        ],
      },
      to: { path: ['/src/generated/', 'node_modules/(@prisma|\\.prisma|prisma)/'] },
    },
    {
      name: 'entry-points-call-verbs',
      comment: 'An entry point is a table from a trigger to a verb; verbs decide and store.',
      severity: 'error',
      from: { path: entryPoints },
      to: { path: `${source}(store|generated)/` },
    },
  ],
  options: {
    doNotFollow: { path: ['node_modules', '/generated/'] },
    // Our own output only: the entry of a third-party package may lie in its `dist`.
    exclude: { path: ['^(packages/[^/]+|services/[^/]+|gateway|bench)/dist/', '^\\.data/'] },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.base.json' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['source', 'import', 'require', 'node', 'default', 'types'],
      extensions: ['.ts', '.js', '.mjs', '.json'],
    },
  },
}
