import { describe, expect, test } from '@jest/globals'
import type { Argument, Command, Option } from 'commander'
import { redriveCommand } from '../src/dead-letter-filters.ts'
import { createProgram } from '../src/payctl.ts'
import { runPayctl } from './run-payctl.ts'

/**
 * Every command with every kind of wrong argument, generated from the command tree. Expected: one line on standard
 * error, exit code 2, nothing on standard output and no call of a service (the environment names none).
 */
const leaves = listLeaves(createProgram(), [])
const uuid = '019a0000-0000-7000-8000-000000000001'

interface Leaf {
  readonly path: readonly string[]
  readonly command: Command
}

function listLeaves(command: Command, path: readonly string[]): Leaf[] {
  if (command.commands.length === 0) return [{ path, command }]
  return command.commands.flatMap((one) => listLeaves(one, [...path, one.name()]))
}

/** Parameters that take any text, or that the reader checks: only length and characters can be wrong. */
const texts = new Set([
  '--name',
  '--role',
  '--reason',
  '--id',
  '--checkpoints',
  '--output',
  '--jwt-issuers',
  '--key-output',
])
/** Commands that call no service, and print a script or manifests. */
const offline = new Set(['completion', 'secrets generate'])
const isOffline = ({ path }: Leaf) => offline.has(path.join(' '))
const parameterName = (one: Argument | Option) => ('long' in one ? (one.long ?? '') : one.name())

/** A value that is taken, so that another place can be the wrong one. */
function good(one: Argument | Option): string {
  if (one.argChoices?.[0] !== undefined) return one.argChoices[0]
  const name = parameterName(one)
  if (texts.has(name)) return 'webhooks.quarantine'
  if (/limit|rate|batch|ttl|days/.test(name)) return '1'
  if (/status-code/.test(name)) return '500'
  if (/after|before|since/.test(name)) return '2026-01-31T12:00:00Z'
  if (/email|recipient/.test(name)) return 'ada@example.com'
  if (name === '--day') return '2026-01-31'
  if (name === '--postgres') return 'postgresql://db.example:5432'
  if (name === '--rabbitmq') return 'amqps://mq.example:5671/payments'
  return /event-type/.test(name) ? 'webhooks.test' : uuid
}

const broken = ['', 'nonsense', '-1', '0x10', '1e3', '1.5', '99999999999', 'two\nlines', ' ', `${uuid}0`, '2026-02-30']
const brokenTexts = ['', 'x'.repeat(501), 'nul\0byte', 'half \ud800']
/** A prefix may be empty or a number. */
const brokenPrefixes = ['Upper', 'a.b', 'x'.repeat(51), 'two\nlines', ' ']

const required = ({ command }: Leaf) => [
  ...command.registeredArguments.map(good),
  ...command.options.filter(({ mandatory }) => mandatory).flatMap((option) => [option.long ?? '', good(option)]),
]

/** Options of which a command needs one, or one that confirms. */
const choices: Readonly<Record<string, readonly string[]>> = {
  token: ['--role', 'admin'],
  'user remove': ['--user', uuid],
  'user erase': ['--yes'],
  'payer erase': ['--yes'],
}

interface Case {
  readonly what: string
  readonly argv: readonly string[]
}

function listCases(leaf: Leaf): Case[] {
  const { path, command } = leaf
  const valued = command.options.filter((option) => option.required || option.optional)
  const wrongFor = (one: Argument | Option) => {
    if (parameterName(one) === '--messaging-prefix') return brokenPrefixes
    return texts.has(parameterName(one)) ? brokenTexts : broken
  }
  const inArguments = command.registeredArguments.flatMap((argument, index) =>
    wrongFor(argument).map((value) => {
      const given = command.registeredArguments.map((other, at) => (at === index ? value : good(other)))
      const options = required(leaf).slice(given.length)
      return { what: `${argument.name()} ${JSON.stringify(value)}`, argv: [...path, ...options, '--', ...given] }
    }),
  )
  const inOptions = valued
    .filter((option) => option.long !== '--checkpoints')
    .flatMap((option) =>
      wrongFor(option).map((value) => ({
        what: `${option.long} ${JSON.stringify(value)}`,
        argv: [...path, ...required(leaf), `${option.long}=${value}`],
      })),
    )
  return [
    ...inArguments,
    ...inOptions,
    ...valued.map(({ long }) => ({ what: `${long} without a value`, argv: [...path, ...required(leaf), long ?? ''] })),
    ...command.registeredArguments
      .filter((one) => one.required)
      .map((one) => ({ what: `no ${one.name()}`, argv: [...path] })),
    ...command.options
      .filter(({ mandatory }) => mandatory)
      .map(({ long }) => ({ what: `no ${long}`, argv: [...path, ...command.registeredArguments.map(good)] })),
    { what: 'an unknown option', argv: [...path, ...required(leaf), '--no-such-option'] },
    { what: 'an argument too many', argv: [...path, ...required(leaf), 'surplus'] },
  ]
}

async function run(argv: readonly string[], isTerminal = false) {
  const { code, stdout: out, stderr: err } = await runPayctl(argv, { isTerminal })
  return { code, out, err }
}

function fail(): never {
  throw new Error('there is no such command')
}

test('the command tree has every command with its kinds of mistakes', () => {
  expect(leaves.length).toBeGreaterThanOrEqual(18)
  expect(leaves.flatMap(listCases).length).toBeGreaterThan(300)
})

describe.each(leaves.map((leaf) => [leaf.path.join(' '), leaf] as const))('payctl %s', (_name, leaf) => {
  test('reports every mistake in the command line in one line, with exit code 2', async () => {
    for (const { what, argv } of listCases(leaf)) {
      const { code, out, err } = await run(argv)
      expect({ what, code, out, lines: err.split('\n').length - 1 }).toEqual({ what, code: 2, out: '', lines: 1 })
      expect(err).toMatch(/^payctl: \P{Cc}+\n$/u)
    }
  })

  test('has a help text, and accepts a correct command line', async () => {
    const help = await run([...leaf.path, '--help'])
    expect([help.code, help.err]).toEqual([0, ''])
    const more = choices[leaf.path.join(' ')] ?? []
    const chosen = ['--all', '--show-key'].filter((name) => leaf.command.options.some(({ long }) => long === name))
    const { code, out, err } = await run([...leaf.path, ...required(leaf), ...chosen, ...more])
    if (isOffline(leaf)) return expect([code, out.split('\n').length > 10, err]).toEqual([0, true, ''])
    expect(code).toBe(1)
    return expect(err).toContain('The configuration is not usable')
  })

  test('has --json, unless it prints a script', () => {
    const hasJson = leaf.command.options.some(({ long }) => long === '--json')
    expect(hasJson).toBe(leaf.path[0] !== 'completion')
  })
})

test.each([
  [
    'no command',
    [],
    'a command is missing; payctl has tenant, key, business-unit, user, payer, token, dlq, payments, audit, secrets, webhooks, completion',
  ],
  [
    'an unknown command',
    ['dql', 'list'],
    "unknown command 'dql'; payctl has tenant, key, business-unit, user, payer, token, dlq, payments, audit, secrets, webhooks, completion (Did you mean dlq?)",
  ],
  ['a group alone', ['tenant'], 'a command is missing; payctl tenant has create, list, show, suspend, resume'],
  [
    'an unknown command of a group',
    ['tenant', 'x\n'],
    "unknown command 'x\\x0a'; payctl tenant has create, list, show, suspend, resume",
  ],
])('%s is one line that lists the commands', async (_case, argv, message) => {
  expect(await run(argv)).toEqual({ code: 2, out: '', err: `payctl: ${message}\n` })
})

test.each([
  ['a command', ['dlq', 'redrvie'], 'redrive'],
  ['a group of commands', ['paymets', 'list'], 'payments'],
  ['an option', ['dlq', 'redrive', 'webhooks.dead-letters', '--dryrun'], '--dry-run'],
  ['a queue', ['dlq', 'peek', 'webhooks.dead-leters'], 'webhooks.dead-letters'],
  ['a part of a queue', ['dlq', 'peek', 'dead-letters'], 'webhooks.dead-letters'],
  ['a choice', ['dlq', 'groups', '--by', 'causes'], 'cause'],
  ['an event type', ['dlq', 'groups', '--event-type', 'webhook.test'], 'webhooks.test'],
])('a mistyped %s is one line that suggests what was meant', async (_what, argv, meant) => {
  const { code, err } = await run(argv)
  expect([code, err.split('\n').length]).toEqual([2, 2])
  expect(err).toContain(` (Did you mean ${meant}?)\n`)
})

test('suggests nothing for a word that is close to none', async () => {
  expect((await run(['dlq', 'x'.repeat(100_000)])).err).not.toContain('Did you mean')
  expect((await run(['dlq', 'peek', 'nonsense'])).err).not.toContain('Did you mean')
})

test.each([
  [{}],
  [{ error_kind: 'status', status_code: 500 }],
  [{ tenant_id: uuid, subscription_id: uuid, event_type: 'payment-proxy.transactions.capture' }],
  [{ business_unit_id: uuid, dead_after: '2026-01-31T12:00:00.000Z', dead_before: '2026-02-01T12:00:00.000Z' }],
] as const)('the command line that redrives a group with the filter %j is correct', async (filter) => {
  const [program, ...argv] = redriveCommand(filter).split(' ')
  const { code, err } = await run(argv)
  expect([program, code, err]).toEqual(['payctl', 1, expect.stringContaining('The configuration is not usable')])
})

test.each([[['--all', '--rate', '5']], [['--tenant', uuid]]])('a quarantine queue has no %j', async (options) => {
  const { code, err } = await run(['dlq', 'redrive', 'audit.quarantine', ...options])
  expect([code, err]).toEqual([2, 'payctl: only webhooks.dead-letters has filters and --rate\n'])
})

test('a quarantine queue has no tenant to peek at', async () => {
  const { code, err } = await run(['dlq', 'peek', 'audit.quarantine', '--tenant', uuid])
  expect([code, err]).toEqual([2, 'payctl: only webhooks.dead-letters has --tenant\n'])
})

test('takes a UUID for a dead letter, and any text for a quarantined message', async () => {
  const { code, err } = await run(['dlq', 'redrive', 'webhooks.dead-letters', '--id', 'x'])
  expect([code, err]).toEqual([2, 'payctl: --id must be a UUID, not x\n'])
})

test('reports a file that contains no checkpoints in one line', async () => {
  const { code, err } = await run(['audit', 'verify', '--checkpoints', '/no/such/file'])
  expect([code, err.split('\n').length]).toEqual([2, 2])
})

describe('secrets generate without --output', () => {
  const { path, command } = leaves.find((leaf) => leaf.path.join(' ') === 'secrets generate') ?? fail()
  const argv = [...path, ...required({ path, command })]

  test('prints no secret to a terminal, and says what to do', async () => {
    const { code, out, err } = await run(argv, true)
    const text = 'this terminal would show every secret: add --output <directory>, or redirect the output'
    expect([code, out, err]).toEqual([2, '', `payctl: ${text}\n`])
  })

  test('prints manifests into a pipe', async () => {
    const { code, out } = await run(argv)
    expect([code, out]).toEqual([0, expect.stringContaining('kind: Secret')])
  })
})

test('--version prints the version, --help the exit codes', async () => {
  expect(await run(['--version'])).toEqual({ code: 0, out: expect.stringMatching(/^\d+\.\d+\.\d+\n$/), err: '' })
  const { code, out } = await run(['--help'])
  expect(code).toBe(0)
  for (const exitCode of ['0', '1', '2', '130']) expect(out).toMatch(new RegExp(`^ {2}${exitCode} +\\w`, 'm'))
})

test.each([
  ['help', '--help'],
  ['help dlq', 'dlq --help'],
  ['help dlq peek', 'dlq peek --help'],
  ['dlq help peek', 'dlq peek --help'],
])('%s prints the same help as %s', async (line, option) => {
  const { code, out, err } = await run(line.split(' '))
  expect([code, err]).toEqual([0, ''])
  expect(out).toBe((await run(option.split(' '))).out)
})

test.each(['help dlq redrve', 'dlq help redrve'])('%s names the commands that there are', async (line) => {
  const { code, out, err } = await run(line.split(' '))
  expect([code, out, err]).toEqual([2, '', expect.stringMatching(/'redrve'; payctl dlq has .*mean redrive/)])
})

test('the error of a missing queue names the queues', async () => {
  const { code, err } = await run(['dlq', 'peek'])
  expect([code, err.split('\n').length]).toEqual([2, 2])
  expect(err).toMatch(/^payctl: missing required argument 'queue'; allowed choices are webhooks.dead-letters, /)
  expect(err).toContain('audit.quarantine')
})
