/**
 * Base images for machines that reach no registry of images: Debian from its packages, and the Node of this process.
 * They have what the Dockerfile expects of the public ones, at the same places.
 */
import { cpSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, symlinkSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { find } from '../machine/machine.ts'
import { UserError } from '../machine/user-error.ts'
import { runToEnd } from '../processes/process-group.ts'
import { buildah, imagesDirectory, policyFile, tryBuildah, withContainer } from './buildah.ts'

const release = 'bookworm'
const mirror = 'http://deb.debian.org/debian'
const debianTimeoutMs = 600_000
const certificates = '/etc/ssl/certs/ca-certificates.crt'

export interface BaseImages {
  readonly build: string
  readonly runtime: string
  /** In place of the gateway of a previous release: without a console. */
  readonly previousGateway: string
}

export async function provideBaseImages(say: (line: string) => void): Promise<BaseImages> {
  mkdirSync(imagesDirectory, { recursive: true })
  const images = {
    build: `localhost/payments-build:${process.versions.node}`,
    runtime: `localhost/payments-runtime:${process.versions.node}`,
    // buildah does not find the stage of the Dockerfile that an argument names.
    previousGateway: 'localhost/payments-no-gateway',
  }
  const debian = await provideDebian(say)
  await provide(images.build, [debian, filesOfBuild()], ['--env', `NODE_EXTRA_CA_CERTS=${certificates}`])
  const isNonRoot = ['--user', '65532:65532', '--entrypoint', '["/nodejs/bin/node"]']
  await provide(images.runtime, [debian, filesOfRuntime()], isNonRoot)
  const empty = emptyDirectory('no-gateway')
  mkdirSync(join(empty, 'app'))
  await provide(images.previousGateway, [empty], [])
  return images
}

async function provideDebian(say: (line: string) => void): Promise<string> {
  const directory = join(imagesDirectory, 'debian')
  if (existsSync(directory)) return directory
  const partial = `${directory}.partial`
  rmSync(partial, { recursive: true, force: true })
  say(`Making a base image: debootstrap ${release}`)
  const args = ['--variant=minbase', '--include=ca-certificates,libstdc++6', release, partial, mirror]
  const { code, output } = await runToEnd('debootstrap', args, { timeoutMs: debianTimeoutMs })
  if (code !== 0) throw new UserError(`debootstrap failed:\n${output.trim().split('\n').slice(-8).join('\n')}`)
  rmSync(join(partial, 'var', 'cache', 'apt'), { recursive: true, force: true })
  rmSync(join(partial, 'var', 'lib', 'apt', 'lists'), { recursive: true, force: true })
  renameSync(partial, directory)
  return directory
}

/** Node and npm, with the certificates that this machine trusts. */
function filesOfBuild(): string {
  const directory = emptyDirectory('of-build')
  copy(process.execPath, join(directory, 'usr', 'local', 'bin', 'node'))
  const npm = npmDirectory()
  copy(npm, join(directory, 'usr', 'local', 'lib', 'node_modules', 'npm'))
  symlinkSync('../lib/node_modules/npm/bin/npm-cli.js', join(directory, 'usr', 'local', 'bin', 'npm'))
  if (existsSync(certificates)) copy(certificates, join(directory, certificates))
  return directory
}

function filesOfRuntime(): string {
  const directory = emptyDirectory('of-runtime')
  copy(process.execPath, join(directory, 'nodejs', 'bin', 'node'))
  return directory
}

/** The package npm of the program on PATH. */
function npmDirectory(): string {
  const candidates = [find('npm') ?? '', process.execPath].map((program) =>
    join(dirname(program), '..', 'lib', 'node_modules', 'npm'),
  )
  const found = candidates.find((directory) => existsSync(join(directory, 'bin', 'npm-cli.js')))
  if (found === undefined) throw new UserError('npm is not where its program is installed.')
  const { name } = JSON.parse(readFileSync(join(found, 'package.json'), 'utf8')) as { name: string }
  if (name !== 'npm') throw new UserError(`${found} is not npm.`)
  return found
}

function emptyDirectory(name: string): string {
  const directory = join(imagesDirectory, name)
  rmSync(directory, { recursive: true, force: true })
  mkdirSync(directory, { recursive: true })
  return directory
}

function copy(from: string, to: string): void {
  mkdirSync(dirname(to), { recursive: true })
  cpSync(from, to, { recursive: true, dereference: true })
}

/** An image that is there stays: the layers above it do, too. */
async function provide(image: string, directories: readonly string[], config: readonly string[]): Promise<void> {
  if ((await tryBuildah(['inspect', '--type', 'image', image])).code === 0) return
  await withContainer('scratch', async (container) => {
    for (const directory of directories) await buildah(['copy', container, directory, '/'], debianTimeoutMs)
    if (config.length > 0) await buildah(['config', ...config, container])
    await buildah(['commit', '--signature-policy', policyFile(), container, image], debianTimeoutMs)
  })
}
