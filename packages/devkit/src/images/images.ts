/**
 * **What it does.** Builds images from the Dockerfile of a release without a daemon and without a registry of images,
 * starts each of them, and measures them.
 *
 * **Participants.** buildah with a storage in `.data/images`; two base images of this machine (base-images.ts).
 *
 * **Not guaranteed.** That the public base images work: their digests are checked by who builds a release.
 */
import { existsSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { root } from '../machine/profile.ts'
import { UserError } from '../machine/user-error.ts'
import { runToEnd } from '../processes/process-group.ts'
import { type BaseImages, provideBaseImages } from './base-images.ts'
import { buildah, policyFile, provideBuildah, removeContainers, tryBuildah, withContainer } from './buildah.ts'

const buildTimeoutMs = 1_800_000
const startTimeoutMs = 60_000
const megabyte = 1_000_000

interface ImageToBuild {
  readonly name: string
  readonly args: readonly string[]
  /** Arguments of the start, after the entry point; default: the arguments of the image. */
  readonly start?: readonly string[]
}

/** One image of each kind: with pages, with a database, a command line, and the migrations. */
export const imagesToBuild: readonly ImageToBuild[] = [
  { name: 'rbac', args: ['--build-arg', 'SERVICE=services/rbac'] },
  { name: 'gateway', args: ['--build-arg', 'SERVICE=gateway'] },
  { name: 'payctl', args: ['--build-arg', 'SERVICE=packages/payctl'], start: ['dist/main.js', '--version'] },
  { name: 'migrate', args: ['--target', 'migrate'], start: ['rbac'] },
]

export interface BuiltImage {
  readonly name: string
  /** Without the base image, in bytes. */
  readonly applicationBytes: number
  readonly totalBytes: number
  /** Output of a start without any configuration. */
  readonly output: string
  /** Query compilers of Prisma for databases other than PostgreSQL. */
  readonly foreignCompilers: readonly string[]
}

/** Builds, starts and measures each image. */
export async function buildImages(say: (line: string) => void): Promise<BuiltImage[]> {
  await provideBuildah(say)
  try {
    return await buildFrom(await provideBaseImages(say), say)
  } finally {
    await removeContainers()
  }
}

async function buildFrom(base: BaseImages, say: (line: string) => void): Promise<BuiltImage[]> {
  const built: BuiltImage[] = []
  for (const { name, args, start } of imagesToBuild) {
    say(`Building the image of ${name}`)
    const image = `localhost/payments-${name}`
    const bases = Object.entries({
      BUILD_IMAGE: base.build,
      RUNTIME_IMAGE: base.runtime,
      PREVIOUS_GATEWAY: base.previousGateway,
    }).flatMap(([argument, value]) => ['--build-arg', `${argument}=${value}`])
    const where = ['--isolation', 'chroot', '--layers', '--pull-never', '--signature-policy', policyFile()]
    await buildah(['bud', ...where, ...storeOfPackages(), ...bases, ...args, '--tag', image, root], buildTimeoutMs)
    built.push({ name, ...(await inspect(image, start)) })
  }
  return built
}

/** The packages that pnpm has downloaded on this machine are not downloaded again. */
function storeOfPackages(): string[] {
  const store = join(homedir(), '.local', 'share', 'pnpm', 'store')
  return existsSync(store) ? ['--volume', `${store}:/root/.local/share/pnpm/store`] : []
}

interface ImageConfig {
  readonly OCIv1: { readonly config: { readonly Entrypoint?: readonly string[]; readonly Cmd?: readonly string[] } }
}

function inspect(image: string, start: readonly string[] | undefined): Promise<Omit<BuiltImage, 'name'>> {
  return withContainer(image, async (container) => {
    const { OCIv1 } = JSON.parse(await buildah(['inspect', '--type', 'image', image])) as ImageConfig
    const { Entrypoint = [], Cmd = [] } = OCIv1.config
    const command = [...Entrypoint, ...(start ?? Cmd)]
    const { output } = await tryBuildah(['run', '--isolation', 'chroot', container, '--', ...command], startTimeoutMs)
    const directory = await buildah(['mount', container])
    const compilers = await readLines('find', [directory, '-name', 'query_compiler_*'])
    return {
      applicationBytes: await measureBytes(join(directory, 'app')),
      totalBytes: await measureBytes(directory),
      output: output.trim(),
      foreignCompilers: compilers.filter((file) => !file.includes('postgresql')),
    }
  })
}

async function measureBytes(directory: string): Promise<number> {
  const [line = ''] = await readLines('du', ['--summarize', '--bytes', directory])
  return Number.parseInt(line, 10)
}

async function readLines(program: string, args: readonly string[]): Promise<string[]> {
  const { code, stdout, output } = await runToEnd(program, args, { timeoutMs: startTimeoutMs })
  if (code !== 0) throw new UserError(`${program} failed: ${output}`)
  return stdout.split('\n').filter((line) => line !== '')
}

/** A table of the images: their size, and the first line of their output. */
export function imageTable(images: readonly BuiltImage[]): string {
  const size = (bytes: number) => `${Math.round(bytes / megabyte)} MB`.padStart(8)
  const rows = images.map(
    ({ name, applicationBytes, totalBytes, output }) =>
      `${name.padEnd(8)} ${size(applicationBytes)} ${size(totalBytes)}  ${output.split('\n')[0]}`,
  )
  return ['image    /app     whole     output without a configuration', ...rows].join('\n')
}
