import { z } from 'zod'
import './error-map.ts'

/** An invalid environment. The message names every invalid variable. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError'
}

/**
 * Parses the environment once. An empty variable counts as absent. Throws ConfigError, which ends the process and names
 * all errors: a rule over several variables is checked too where another variable is invalid.
 */
export function loadConfig<S extends z.ZodObject>(schema: S, env: NodeJS.ProcessEnv): z.output<S> {
  const given = Object.fromEntries(Object.entries(env).filter(([, value]) => value !== ''))
  const parsed = schema.safeParse(given)
  if (parsed.success) return parsed.data
  const lines = [...parsed.error.issues, ...brokenRules(schema, given)].map((issue) => {
    const name = String(issue.path[0] ?? 'environment')
    const description = (schema.shape[name] as z.ZodType | undefined)?.description
    const inner = issue.path.slice(1).map((part) => `/${String(part)}`)
    const message = given[name] === undefined ? 'is not set' : issue.message
    return `  ${name}${inner.join('')}: ${message}${description ? ` — ${description}` : ''}`
  })
  throw new ConfigError(`The configuration is not usable:\n${[...new Set(lines)].join('\n')}`)
}

class InvalidVariable extends Error {}

/** The issues of the rules that read valid variables only. zod checks no rule once a variable is invalid. */
function brokenRules(schema: z.ZodObject, given: Readonly<Record<string, unknown>>): z.core.$ZodIssue[] {
  const parsed = Object.entries(schema.shape).map(
    ([name, type]) => [name, (type as z.ZodType).safeParse(given[name])] as const,
  )
  const valid = new Map(parsed.flatMap(([name, { success, data }]) => (success ? [[name, data] as const] : [])))
  const config = new Proxy(Object.fromEntries(valid), {
    get: (values, name) => {
      if (typeof name === 'string' && name in schema.shape && !valid.has(name)) throw new InvalidVariable()
      return Reflect.get(values, name)
    },
  })
  return (schema.def.checks ?? []).flatMap((rule) => {
    try {
      return (
        z
          .any()
          .check(rule as z.core.$ZodCheck<unknown>)
          .safeParse(config).error?.issues ?? []
      )
    } catch (error) {
      if (error instanceof InvalidVariable) return []
      throw error
    }
  })
}

/** A JSON value in an environment variable, checked by `schema`. */
export const json = <S extends z.ZodType>(schema: S) =>
  z
    .string()
    .transform((value, context): unknown => {
      try {
        return JSON.parse(value)
      } catch {
        context.addIssue({ code: 'custom', message: 'must be JSON' })
        return z.NEVER
      }
    })
    .pipe(schema)

/** The URL of RabbitMQ. */
export const amqpUrl = z.string().regex(/^amqps?:\/\//, 'must begin with amqp:// or amqps://')

export const wholeNumber = (min: number, max: number) => z.coerce.number().int().min(min).max(max)

export const port = wholeNumber(0, 65_535)

/** An origin, such as https://example.com: without path and credentials. */
export const origin = z
  .url({ protocol: /^https?$/ })
  .transform((written) => new URL(written))
  .refine(
    ({ href, origin: itself }) => href === `${itself}/`,
    'must be an origin, such as https://example.com, without path and credentials',
  )
  .transform(({ origin: itself }) => itself)

/** The rule of a variable that is a URL: https, except in development. */
export const httpsExceptInDevelopment = <const Name extends string>(
  name: Name,
): [
  (config: { readonly ENVIRONMENT: string } & Readonly<Partial<Record<Name, string | undefined>>>) => boolean,
  { path: Name[]; message: string },
] => [
  (config) => config.ENVIRONMENT === 'dev' || /^https:/i.test(config[name] ?? 'https:'),
  { path: [name], message: 'must be https where ENVIRONMENT is not dev' },
]

/** Variables of every process. */
export const processConfig = {
  ENVIRONMENT: z.enum(['dev', 'qa', 'prod']).describe('Environment: dev, qa or prod'),
  LOG_LEVEL: z
    .enum(['trace', 'debug', 'info', 'warn', 'error', 'fatal'])
    .default('info')
    .describe('Lowest level that is logged'),
}

/** Variables of every process that records spans. */
export const tracingConfig = {
  OTEL_EXPORTER_OTLP_ENDPOINT: z
    .url({ protocol: /^https?$/ })
    .optional()
    .describe('URL of an OpenTelemetry collector (OTLP over HTTP), e.g. http://127.0.0.1:4318. Not set: no tracing.'),
  OTEL_TRACES_SAMPLER: z
    .enum(['always_on', 'always_off', 'traceidratio'])
    .default('always_on')
    .describe(
      'Which traces are recorded: always_on, always_off, or traceidratio: the share OTEL_TRACES_SAMPLER_ARG, chosen by the trace id, so set the same values for every process. The sampled flag of a client has no effect.',
    ),
  OTEL_TRACES_SAMPLER_ARG: z.coerce
    .number()
    .min(0)
    .max(1)
    .default(1)
    .describe('Share of traces that traceidratio records, from 0 to 1'),
}

/** Variables of every process that listens. */
export const listenConfig = {
  LOG_REQUEST_SHARE: z.coerce
    .number()
    .min(0)
    .max(1)
    .default(0.01)
    .describe(
      'Share of the requests that are logged, from 0 to 1, chosen by the trace id, so set the same value for every process. Failed and slow requests, changes of authorization and calls of operators are always logged.',
    ),
  HOST: z.string().default('127.0.0.1').describe('Address to listen on'),
  PORT: port.describe('Port to listen on'),
  DRAIN_DELAY_MS: z.coerce
    .number()
    .int()
    .min(0)
    .max(60_000)
    .default(5_000)
    .describe(
      'Milliseconds from a signal to stop until the listeners close. `/readyz` is 503 meanwhile. Above 4000, idle connections of other processes are closed by then.',
    ),
}

/**
 * `.env.example`: first the variables that three processes or more read with one text and one default, then for each
 * process which of them it reads, and its own.
 */
export function describeEnvironment(processes: Readonly<Record<string, z.ZodObject>>): string {
  const sections = Object.entries(processes).map(([process, schema]) => ({
    process,
    variables: Object.entries(schema.shape).map(([name, type]) => ({ name, text: describeVariable(name, type) })),
  }))
  const texts = sections.flatMap(({ variables }) => variables.map(({ text }) => text))
  const isCommon = (text: string) => texts.filter((other) => other === text).length >= 3
  const common = [...new Set(texts.filter(isCommon))]
  const rest = sections.map(({ process, variables }) => {
    const above = variables.filter(({ text }) => isCommon(text)).map(({ name }) => name)
    const own = variables.filter(({ text }) => !isCommon(text)).map(({ text }) => text)
    return [`# ── ${process} ──`, `# Of the common ones: ${above.join(', ')}`, ...own].join('\n')
  })
  return `${['# ── common ──', '# The block of a process names those that it reads.', ...common].join('\n')}\n\n${rest.join('\n\n')}\n`
}

function describeVariable(name: string, type: z.ZodType): string {
  return `${type.description === undefined ? '' : `# ${type.description}\n`}${name}=${findDefault(type) ?? ''}`
}

function findDefault(type: z.ZodType): string | undefined {
  if (type instanceof z.ZodPipe) return findDefault(type.def.in as z.ZodType)
  if (!(type instanceof z.ZodDefault)) return undefined
  const value: unknown = type.def.defaultValue
  return typeof value === 'string' ? value : JSON.stringify(value)
}
