/** The metrics and labels that a PromQL expression reads. */
import { parser } from '@prometheus-io/lezer-promql'

/** One series selector, with every label that the expression names of it. */
interface Use {
  readonly metric: string
  readonly labels: readonly string[]
}

export interface Query {
  readonly uses: readonly Use[]
  /** Labels of the results, as far as the expression names them; null when it aggregates nothing. */
  readonly results: readonly string[] | null
}

interface Node {
  readonly name: string
  readonly from: number
  readonly to: number
  readonly type: { readonly isError: boolean }
  readonly firstChild: Node | null
  readonly nextSibling: Node | null
}

export function parseQuery(expression: string): Query {
  const text = ({ from, to }: Node) => expression.slice(from, to)
  const uses: Use[] = []
  const results = new Set<string>()
  let aggregates = false
  /** `around`: labels by which an expression around the node groups or matches. */
  const visit = (node: Node, around: readonly string[]): void => {
    if (node.type.isError) throw new Error(`not PromQL: ${expression}`)
    const inner = [...around, ...listGrouping(node).map(text)]
    if (node.name === 'AggregateExpr') {
      aggregates = true
      for (const label of listGrouping(node).map(text)) results.add(label)
    }
    if (node.name === 'VectorSelector') {
      const metric = descendants(node, 'Identifier').map(text)[0] ?? ''
      uses.push({ metric, labels: [...new Set([...descendants(node, 'LabelName').map(text), ...inner])] })
    } else for (const child of children(node)) visit(child, inner)
  }
  visit(parser.parse(expression).topNode, [])
  return { uses, results: aggregates ? [...results].filter((label) => label !== 'le') : null }
}

/** The labels of `by (…)`, `on (…)` and `ignoring (…)` of this node itself. */
function listGrouping(node: Node): Node[] {
  return children(node)
    .filter(({ name }) => name === 'AggregateModifier' || name === 'MatchingModifierClause')
    .flatMap((modifier) => descendants(modifier, 'LabelName'))
}

function children(node: Node): Node[] {
  const found: Node[] = []
  for (let child = node.firstChild; child !== null; child = child.nextSibling) found.push(child)
  return found
}

function descendants(node: Node, name: string): Node[] {
  return children(node).flatMap((child) => (child.name === name ? [child] : descendants(child, name)))
}
