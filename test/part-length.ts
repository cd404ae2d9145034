import { type Module, parseSync } from '@swc/core'

export interface LongPart {
  /** The name with the names of the functions around it: `createApp.close`. */
  readonly name: string
  readonly lines: number
}

/** Functions of a text in TypeScript with more than `linesMax` lines: declarations, methods, accessors and closures. */
export function longFunctions(text: string, linesMax: number): LongPart[] {
  return longParts(text, linesMax, (type) => functionTypes.has(type))
}

/** Classes of a text in TypeScript with more than `linesMax` lines: declarations and expressions. */
export function longClasses(text: string, linesMax: number): LongPart[] {
  return longParts(text, linesMax, (type) => classTypes.has(type))
}

function longParts(text: string, linesMax: number, isMeasured: (type: string) => boolean): LongPart[] {
  const bytes = Buffer.from(text)
  const found: LongPart[] = []
  const countLines = ({ start, end }: { start: number; end: number }) =>
    // Spans count bytes from 1.
    bytes
      .subarray(start - 1, end - 1)
      .toString()
      .split('\n').length
  const visit = (node: unknown, names: readonly string[], nameOfValue: string): void => {
    if (Array.isArray(node)) {
      for (const item of node) visit(item, names, nameOfValue)
      return
    }
    if (typeof node !== 'object' || node === null) return
    const part = node as Node
    const name = readName(part) ?? nameOfValue
    const isFunction = functionTypes.has(part.type ?? '')
    const inner = isFunction ? [...names, name] : names
    if (isMeasured(part.type ?? '') && part.span !== undefined) {
      const lines = countLines(part.function?.span ?? part.span)
      if (lines > linesMax) found.push({ name: [...names, name].join('.'), lines })
    }
    for (const [key, value] of Object.entries(node)) {
      if (key !== 'span') visit(value, inner, isFunction ? anonymous : name)
    }
  }
  visit(parse(text).body, [], anonymous)
  return found
}

const hasElements = /<\/[A-Za-z]*>|<[A-Z]\w*(?: [^>]*)? \/>/

const anonymous = '(closure)'

const classTypes = new Set(['ClassDeclaration', 'ClassExpression'])

const functionTypes = new Set([
  'FunctionDeclaration',
  'FunctionExpression',
  'ArrowFunctionExpression',
  'ClassMethod',
  'PrivateMethod',
  'Constructor',
  'MethodProperty',
  'GetterProperty',
  'SetterProperty',
])

interface Named {
  readonly value?: unknown
}

interface Node {
  readonly type?: string
  readonly span?: { start: number; end: number }
  readonly identifier?: Named | null
  readonly id?: Named
  readonly key?: Named & { id?: Named }
  readonly function?: { span?: { start: number; end: number } }
}

/** The name that a declaration, a variable, a method or a property gives to its value. */
function readName({ type, identifier, id, key }: Node): string | undefined {
  if (type === 'Constructor') return 'constructor'
  const name = identifier?.value ?? id?.value ?? key?.id?.value ?? key?.value
  return typeof name === 'string' ? name : undefined
}

/** The syntax of `.tsx`, where `text` has elements. */
function parse(text: string): Module {
  return parseSync(text, { syntax: 'typescript', tsx: hasElements.test(text), target: 'es2022' })
}
