import { execFile } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { root } from '@payments/devkit/machine/profile'
import config from '../../../jest.config.js'

interface FileResult {
  readonly name: string
  readonly message: string
  readonly status: string
  readonly assertionResults: readonly { readonly fullName: string; readonly status: string }[]
}

export interface Run {
  readonly code: number
  readonly output: string
  readonly files: ReadonlyMap<string, FileResult>
  readonly numPassedTests: number
  readonly numFailedTests: number
  readonly numRuntimeErrorTestSuites: number
}

const globals = "import { afterAll, afterEach, beforeAll, beforeEach, expect, jest, test } from '@jest/globals'\n"
const directories: string[] = []

/** For `afterAll`. */
export function removeProjects(): void {
  for (const directory of directories.splice(0)) rmSync(directory, { recursive: true })
}

/** A project of its own with the configuration of this one. `files`: by name, without the import of the globals. */
export function project(files: Readonly<Record<string, string>>): string {
  const directory = mkdtempSync(join(tmpdir(), 'runner-'))
  directories.push(directory)
  for (const [name, text] of Object.entries({ 'package.json': '{ "type": "module" }', ...files })) {
    const file = join(directory, name)
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, name.endsWith('.test.ts') ? text.replace('GLOBALS', globals.trim()) : text)
  }
  return directory
}

export async function jestIn(directory: string, ...args: readonly string[]): Promise<Run> {
  const own = JSON.stringify({ ...config, rootDir: directory }).replaceAll('<rootDir>/packages', `${root}/packages`)
  const results = join(directory, 'results.json')
  const jest = [join(root, 'node_modules', 'jest', 'bin', 'jest.js'), '--config', own]
  const command = [...jest, ...args, '--json', `--outputFile=${results}`]
  const { code, output } = await new Promise<Pick<Run, 'code' | 'output'>>((resolve) => {
    const options = { cwd: directory, timeout: 60_000, killSignal: 'SIGKILL' as const }
    const child = execFile(process.execPath, command, options, (_error, stdout, stderr) =>
      resolve({ code: child.exitCode ?? -1, output: stdout + stderr }),
    )
  })
  if (!existsSync(results)) throw new Error(`jest wrote no results:\n${output}`)
  const { testResults, ...counts } = JSON.parse(readFileSync(results, 'utf8'))
  const files = new Map<string, FileResult>(
    testResults.map((file: FileResult) => [file.name.slice(join(directory, 'test').length + 1), file]),
  )
  return { code, output, files, ...counts }
}

/** Messages of the file to the others of its worker, one line each. */
export const readOutputLines = (directory: string) =>
  readFileSync(join(directory, 'said.txt'), 'utf8').trim().split('\n')
export const say =
  "import { appendFileSync } from 'node:fs'\nexport const say = (line) => appendFileSync('said.txt', `${line}\\n`)\n"
