/**
 * A reporter of jest. Writes the CPU time of each test file to .data/test/cpu.txt, and prints the files that took the
 * most when there are several. Then a file that takes more than `secondsMax` fails the run, unless it is marked
 * `@slow`: a run of one file may be a long one by its options.
 */
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { readMarker } from '@payments/devkit/tests/markers'
import type { Config } from 'jest-runner'
import type { CpuOfFile } from './cpu.ts'
import { besideTests } from './process-cpu.ts'

const printedMax = 10
/** Twice what the largest file takes. */
const secondsMax = 60

interface FileResult extends Partial<CpuOfFile> {
  readonly testFilePath: string
}

export default class CpuReport {
  readonly #rootDir: string
  readonly #files: { readonly path: string; readonly seconds: number }[] = []

  constructor({ rootDir }: Config.GlobalConfig) {
    this.#rootDir = rootDir
  }

  onTestResult(_test: unknown, { testFilePath, cpuMs }: FileResult): void {
    // A file that does not load has none.
    if (cpuMs === undefined) return
    this.#files.push({ path: relative(this.#rootDir, testFilePath), seconds: cpuMs / 1_000 })
  }

  /** jest fails the run for it. */
  getLastError(): Error | undefined {
    if (this.#files.length < 2) return undefined
    const over = this.#files.filter(({ path, seconds }) => seconds > secondsMax && !isSlow(join(this.#rootDir, path)))
    if (over.length === 0) return undefined
    const named = over.map(({ path, seconds }) => `${path} (${seconds.toFixed(0)} s)`).join(', ')
    return new Error(`Above ${secondsMax} s of CPU time without @slow in the first comment: ${named}`)
  }

  onRunComplete(): void {
    for (const { what, seconds } of besideTests) this.#files.push({ path: what, seconds })
    const files = this.#files.sort((a, b) => b.seconds - a.seconds)
    const lines = files.map(({ path, seconds }) => `${seconds.toFixed(1).padStart(7)} s  ${path}`)
    const all = join(this.#rootDir, '.data', 'test', 'cpu.txt')
    mkdirSync(dirname(all), { recursive: true })
    writeFileSync(all, `${lines.join('\n')}\n`)
    if (files.length < 2) return
    const sum = files.reduce((total, { seconds }) => total + seconds, 0)
    console.log(`\nCPU time of the test files: ${sum.toFixed(0)} s (.data/test/cpu.txt). The most:`)
    console.log(lines.slice(0, printedMax).join('\n'))
  }
}

/** Also of work that belongs to no test file. */
const isSlow = (path: string) => !existsSync(path) || readMarker(path, '@slow') !== null
