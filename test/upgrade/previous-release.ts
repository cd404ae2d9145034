/**
 * **What it does.** Builds the previous release from git. `UPGRADE_FROM` names another commit, or `none`.
 *
 * **Participants.** git, which has the files; the scripts of the previous release, which install, generate and compile;
 * the generated clients of this checkout, which are copied. The scripts generate the clients whose schema differs.
 *
 * **Guarantees.** No file of this checkout changes. A build that was interrupted is repeated.
 *
 * **Not guaranteed.** A build without the history of git, or without the packages of the previous release.
 */
import { spawnSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { root } from '@payments/devkit/machine/profile'
import type { LocalStackOptions, ProcessPlan } from '@payments/devkit/platform/process-plan'
import { runToEnd } from '@payments/devkit/processes/process-group'

export interface Release {
  readonly commit: string
  /** The checkout. */
  readonly directory: string
}

/** The processes of a release, and the environment of its payctl. */
export interface Plans {
  readonly plans: readonly ProcessPlan[]
  readonly payctlEnv: Readonly<Record<string, string>>
}

const buildTimeoutMs = 900_000
const gitTimeoutMs = 60_000
const planFile = 'process-plan.js'

/**
 * The commit of the previous release, or why there is none. Throws when UPGRADE_FROM names no commit.
 *
 * A release is the first commit with its version: the commit that last changed the version in package.json. Versions
 * below 1.0.0 are no releases.
 */
export function previousRelease(
  checkout = root,
  given = process.env['UPGRADE_FROM'],
): { readonly commit: string } | { readonly missing: string } {
  const git = gitIn(checkout)
  const findCommit = (name: string) => git('rev-parse', '--verify', '--quiet', `${name}^{commit}`)
  if (given === 'none') return { missing: 'UPGRADE_FROM is none' }
  if (given) {
    const commit = findCommit(given)
    if (commit === undefined) throw new Error(`UPGRADE_FROM names no commit: ${given}`)
    return { commit }
  }
  const { version } = JSON.parse(readFileSync(join(checkout, 'package.json'), 'utf8')) as { version: string }
  if (version.startsWith('0.')) return { missing: `${version} is below 1.0.0` }
  if (git('rev-parse', '--is-shallow-repository') !== 'false') return { missing: 'the history of git is incomplete' }
  const commit = git('log', '-1', '--format=%H', '-G"version":', '--', 'package.json')
  if (!commit) return { missing: 'no commit has changed the version' }
  const isFirst = git('rev-parse', `${commit}^{tree}`) === git('rev-parse', 'HEAD^{tree}')
  return isFirst ? { missing: 'this is the first commit of the release' } : { commit }
}

/** Runs git in the checkout. Returns the output; undefined when git fails or is missing. */
const gitIn =
  (checkout: string) =>
  (...args: string[]): string | undefined => {
    const { status, stdout } = spawnSync('git', args, { cwd: checkout, encoding: 'utf8', timeout: gitTimeoutMs })
    return status === 0 ? stdout.trim() : undefined
  }

/** Builds the release below `.data`, once per commit. */
export async function buildRelease(commit: string): Promise<Release> {
  const releases = join(root, '.data', 'releases')
  const directory = join(releases, commit)
  const built = join(directory, '.built')
  if (existsSync(built)) return { commit, directory }
  rmSync(releases, { recursive: true, force: true })
  await extractRelease(commit, directory)
  for (const name of readdirSync(join(directory, 'services'))) {
    const clients = join('services', name, 'src', 'generated')
    if (existsSync(join(root, clients))) cpSync(join(root, clients), join(directory, clients), { recursive: true })
  }
  const bootstrap = `await (await import('./scripts/bootstrap.mjs')).bootstrap()`
  await must(process.execPath, ['--input-type=module', '--eval', bootstrap], directory)
  writeFileSync(built, '')
  return { commit, directory }
}

/** Writes the files of a release, or of some of its folders, into a new directory. */
export async function extractRelease(commit: string, directory: string, folders: string[] = []): Promise<void> {
  mkdirSync(directory, { recursive: true })
  await must('git', ['archive', '--format=tar', `--output=${directory}.tar`, commit, ...folders], root)
  await must('tar', ['-xf', `${directory}.tar`], directory)
  rmSync(`${directory}.tar`)
}

/** Reads the processes from the development kit of the release. */
export async function readPlans({ directory }: Release, options: LocalStackOptions): Promise<Plans> {
  const script = `
    const { processPlans, payctlEnvironment } = await import(process.env.PLAN)
    const options = JSON.parse(process.env.OPTIONS)
    console.log(JSON.stringify({ plans: processPlans(options), payctlEnv: payctlEnvironment(options) }))`
  const modules = join(directory, 'packages', 'devkit', 'dist')
  const file = readdirSync(modules, { recursive: true, encoding: 'utf8' }).find((name) => basename(name) === planFile)
  if (file === undefined) throw new Error(`the previous release has no ${planFile}`)
  const env = { ...process.env, PLAN: join(modules, file), OPTIONS: JSON.stringify(options) }
  return JSON.parse(await must(process.execPath, ['--input-type=module', '--eval', script], directory, env)) as Plans
}

/** Runs a command to its end and returns its output. Throws the output of a command that fails. */
async function must(command: string, args: string[], cwd: string, env = process.env): Promise<string> {
  // The packages of the previous release are in the store already, except those that were replaced since.
  const preferring = { ...env, NODE_OPTIONS: '', pnpm_config_prefer_offline: 'true' }
  const { code, stdout, output } = await runToEnd(command, args, { cwd, env: preferring, timeoutMs: buildTimeoutMs })
  if (code !== 0) throw new Error(`${command} ${args[0]} failed in the previous release:\n${output.trim()}`)
  return stdout
}
