import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import type { Command } from 'commander'
import { bashCompletion } from '../src/completion/bash.ts'
import { fishCompletion } from '../src/completion/fish.ts'
import { zshCompletion } from '../src/completion/zsh.ts'
import { createProgram } from '../src/payctl.ts'

const program = createProgram()
let directory: string
let script: string

beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), 'payctl-completion-'))
  script = join(directory, 'payctl.bash')
  writeFileSync(script, bashCompletion(program))
  writeFileSync(join(directory, 'checkpoints.jsonl'), '')
})
afterAll(() => rmSync(directory, { recursive: true }))

/** Runs the completion function of bash as readline does. `lines`: words of command lines, the last one incomplete. */
async function complete(lines: readonly (readonly string[])[]): Promise<string[][]> {
  const calls = lines.map(
    (words) =>
      `COMP_WORDS=(${words.map((word) => `'${word}'`).join(' ')}); COMP_CWORD=${words.length - 1}; _payctl
       printf '%s ' "\${COMPREPLY[@]}"; printf '\\n'`,
  )
  const text = `set -u; source "$1"; complete -p payctl >&2; ${calls.join('\n')}`
  const options = { cwd: directory, timeout: 60_000 }
  const shell = ['--noprofile', '--norc', '-c', text, 'bash', script]
  const { stdout, stderr } = await promisify(execFile)('bash', shell, options)
  expect(stderr).toBe('complete -F _payctl payctl\n')
  return stdout
    .split('\n')
    .slice(0, -1)
    .map((line) => line.split(' ').filter((word) => word !== ''))
}

const completeOne = async (...words: string[]) => (await complete([['payctl', ...words]]))[0]

/** Every command below, with the words that lead to it. */
function everyCommand(command: Command, path: readonly string[] = []): { path: readonly string[]; command: Command }[] {
  return [{ path, command }, ...command.commands.flatMap((one) => everyCommand(one, [...path, one.name()]))]
}

const commands = everyCommand(program)
/** Options whose value is the path of a file or a directory. */
const paths = ['--checkpoints', '--output', '--jwt-issuers', '--key-output']

describe('bash', () => {
  test('completes every command with its subcommands, arguments and options', async () => {
    expect(commands.length).toBeGreaterThan(25)
    const completed = await complete(commands.map(({ path }) => ['payctl', ...path, '']))
    const expected = commands.map(({ path, command }) => [
      ...command.commands.map((one) => one.name()),
      ...command.registeredArguments.flatMap(({ argChoices }) => argChoices ?? []),
      ...(path.length === 0 ? ['--version'] : command.options.map(({ long }) => long ?? '')),
      '--help',
    ])
    expect(completed).toEqual(expected)
  })

  test('completes the value of every option that has a fixed list, and no other value', async () => {
    const valued = commands.flatMap(({ path, command }) =>
      command.options
        .filter(({ required, long }) => required && !paths.includes(long ?? ''))
        .map(({ long, argChoices }) => ({ words: ['payctl', ...path, long ?? '', ''], expected: argChoices ?? [] })),
    )
    expect(valued.filter(({ expected }) => expected.length > 0).length).toBeGreaterThan(5)
    const completed = await complete(valued.map(({ words }) => words))
    expect(completed).toEqual(valued.map(({ expected }) => expected))
  })

  test.each([
    [['dl'], ['dlq']],
    [['dlq', 're'], ['redrive']],
    [['tenant', 'list', '--s'], ['--status']],
    [['tenant', 'list', '--json', '--status', 's'], ['suspended']],
    [['tenant', 'list', '--status', '=', 's'], ['suspended']],
    [
      ['tenant', 'list', '--status', '='],
      ['active', 'suspended'],
    ],
    [['audit', 'verify', '--checkpoints', 'check'], ['checkpoints.jsonl']],
    [['secrets', 'generate', '--output', 'check'], ['checkpoints.jsonl']],
    [['secrets', 'generate', '--jwt-issuers', 'check'], ['checkpoints.jsonl']],
    [['dql', 'li'], []],
    [
      ['completion', ''],
      ['bash', 'zsh', 'fish', '--help'],
    ],
  ])('completes %j with %j', async (words, expected) => {
    expect(await completeOne(...words)).toEqual(expected)
  })
})

test('zsh and fish get every command, option and value too', () => {
  const [zsh, fish] = [zshCompletion(program), fishCompletion(program)]
  for (const { path, command } of commands) {
    const [name, parent] = [path.at(-1) ?? '', path.slice(0, -1).join(' ')]
    if (path.length > 0) {
      expect(zsh).toContain(`'${parent} ${name}'`)
      expect(zsh).toContain(`'${name}:${command.description().replaceAll("'", `'\\''`)}'`)
      expect(fish).toContain(`(__payctl_command_path) = \\'${parent}\\'' -a '${name}' -d '`)
    }
    for (const { long, argChoices = [] } of command.options) {
      expect(zsh).toContain(`'${long}:`)
      if (path.length > 0) expect(fish).toContain(`= \\'${path.join(' ')}\\'' -l ${long?.slice(2)} `)
      if (argChoices.length === 0) continue
      expect(zsh).toContain(
        `'${path.join(' ')} ${long}') compadd -- ${argChoices.map((one) => `'${one}'`).join(' ')}; return ;;`,
      )
      expect(fish).toContain(`= \\'${path.join(' ')}\\'' -l ${long?.slice(2)} -x -a '${argChoices.join(' ')}' `)
    }
  }
})
