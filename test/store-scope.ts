/**
 * Finds queries of a store without a tenant. Row-level security hides this mistake from every other test. Reads the
 * text as `biome` formats it: a top-level function ends with a brace in the first column.
 *
 * Detects calls of a model (`tx.key.findFirst(…)`) and raw SQL, in functions and in the functions and constants of the
 * same file that they use. Does not detect SQL built from strings of another file: a name with `tenant` in it is
 * trusted.
 */
export interface Loose {
  readonly name: string
  readonly query: string
}

/** The names that a verb uses of each store, by the store's path from the verb's service. */
export function storeNames(verb: string): Map<string, string[]> {
  const named = verb.matchAll(/import \{([^}]*)\} from '\.\.\/(store\/[\w/-]+\.ts)'/g)
  const nouns = verb.matchAll(/import \* as (\w+) from '\.\.\/(store\/[\w/-]+\.ts)'/g)
  const used = new Map<string, string[]>()
  const add = (store: string, names: readonly string[]) => used.set(store, [...(used.get(store) ?? []), ...names])
  for (const [, names = '', store = ''] of named) {
    add(
      store,
      names.split(',').map((name) => name.trim().split(' as ')[0] ?? ''),
    )
  }
  for (const [, noun = '', store = ''] of nouns) {
    const passed = new RegExp(`(?:[=(,[{:?]|\\.\\.\\.|\\breturn)\\s*${noun}\\b(?![\\w.:])`).exec(verb)
    if (passed !== null) throw new Error(`${noun} of ${store} must be used as ${noun}.name: ${passed[0]}`)
    add(
      store,
      [...verb.matchAll(new RegExp(`(?<!(?<!\\.\\.)\\.|/)\\b${noun}\\.(\\w+)`, 'g'))].map(([, name = '']) => name),
    )
  }
  return used
}

/**
 * The functions of `names` in the store `text` that do not take the tenant's id, or have a query that does not use it.
 */
export function looseQueries(text: string, names: readonly string[]): Loose[] {
  const declarations = readDeclarations(text)
  return names.flatMap((name) => {
    const declared = declarations.get(name)
    if (declared === undefined || !/^(export )?(async )?function\b/.test(declared)) return []
    if (isStatement(declared)) return isScopedStatement(name, declared) ? [] : [{ name, query: 'takes no tenantId' }]
    if (!new RegExp(`function ${name}\\b[^(]*\\(\\s*\\w+: (?:Tx|Sql),\\s*tenantId\\b`).test(declared)) {
      return [{ name, query: 'takes no tenantId' }]
    }
    return findQueries(declared)
      .filter((query) => !isScoped(query, declared, declarations))
      .map((query) => ({ name, query: query.slice(0, 60) }))
  })
}

/** A function that returns a statement instead of running it. */
function isStatement(declared: string): boolean {
  return /^[^`]*\): (?:Prisma\.)?Sql \{/.test(declared)
}

function isScopedStatement(name: string, declared: string): boolean {
  return (
    new RegExp(`function ${name}\\(\\s*tenantId\\b`).test(declared) && /sql`[^]*\$\{[^}]*\btenantId\b/.test(declared)
  )
}

/** Top-level functions and constants, by name. */
function readDeclarations(text: string): Map<string, string> {
  const starts = [...text.matchAll(/^(?:export )?(?:async )?(?:function|const) (\w+)/gm)]
  return new Map(
    starts.map((start, index) => {
      const end = starts[index + 1]?.index ?? text.length
      return [start[1] ?? '', text.slice(start.index, end).replaceAll(/\/\*\*[\s\S]*?\*\//g, '')]
    }),
  )
}

/** The calls of a body, from `tx.` to the parenthesis or backtick that ends them. */
function findQueries(body: string): string[] {
  const calls = body.matchAll(/\b(?:tx|sql)\.(?:\$(?:query|execute)Raw(?:Unsafe)?|\w+\.\w+)(?:<[^(`]*>)?(?=[(`])/g)
  return [...calls].map((call) => {
    const from = call.index + call[0].length
    return call[0] + (body[from] === '`' ? template(body, from) : readParentheses(body, from))
  })
}

function template(text: string, from: number): string {
  return text.slice(from, text.indexOf('`', from + 1) + 1)
}

function readParentheses(text: string, from: number): string {
  let depth = 0
  for (let at = from; at < text.length; at += 1) {
    if (text[at] === '(') depth += 1
    if (text[at] === ')') depth -= 1
    if (depth === 0) return text.slice(from, at + 1)
  }
  return text.slice(from)
}

const depthMax = 3

/** A name that is no member (`tx.key.update`) and no field (`update: …`); the name in `...where` counts. */
const nameUsed = /(?<!(?<!\.\.)\.)\b[a-z]\w+\b(?!:)/g

/**
 * Whether a query filters by tenant, itself or through a name: SQL by `tenant_id`, a lock or a call of a model by
 * `tenantId`.
 */
function isScoped(query: string, body: string, declarations: ReadonlyMap<string, string>): boolean {
  const isSql = /^\w+\.\$/.test(query)
  const scope = isSql ? /\btenant_id (=|IS)|INSERT INTO[^)]*\btenant_id\b|\btenants WHERE id =/ : /\btenantId\b/
  const seen = new Set<string>()
  const says = (text: string, depth: number): boolean => {
    if (scope.test(text)) return true
    if (depth === depthMax) return false
    const names = [...new Set(text.match(nameUsed) ?? [])].filter((name) => !seen.has(name))
    for (const name of names) seen.add(name)
    return names.some((name) =>
      [findLocal(name, body), declarations.get(name)].some(
        (named) => named !== undefined && named !== body && says(named, depth + 1),
      ),
    )
  }
  return says(query, 0)
}

/** The statement of a body that declares the name. */
function findLocal(name: string, body: string): string | undefined {
  return new RegExp(`^  const (?:${name}\\b|[{\\[][^=]*\\b${name}\\b)[\\s\\S]*?\\n(?=  \\S|\\})`, 'm').exec(body)?.[0]
}
