/** The alerts, records, dashboards and runbook sections of the repository. */
import { readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { parse } from 'yaml'
import { dashboards } from '../../scripts/dashboards/table.mjs'

export const root = resolve(import.meta.dirname, '../..')
const rulesDirectory = join(root, 'observe/prometheus/rules')
export const ruleTests = join(root, 'observe/prometheus/tests/pages.yml')

interface Rule {
  readonly alert?: string
  readonly record?: string
  readonly expr: string
  readonly for?: string
  readonly labels?: Readonly<Record<string, string>>
  readonly annotations?: Readonly<Record<string, string>>
}

export const ruleFiles = readdirSync(rulesDirectory).map((name) => join(rulesDirectory, name))
const rules: Rule[] = ruleFiles.flatMap((file) =>
  (parse(readFileSync(file, 'utf8')) as { groups: { rules: Rule[] }[] }).groups.flatMap((group) => group.rules),
)
export const alerts = rules.flatMap((rule) => (rule.alert === undefined ? [] : [{ ...rule, alert: rule.alert }]))
export const records = rules.flatMap((rule) => (rule.record === undefined ? [] : [{ ...rule, record: rule.record }]))

/** One expression, where it stands, and the labels that its texts show. */
export interface Expression {
  readonly where: string
  readonly expr: string
  readonly shown: readonly string[]
}

const namesIn = (text: string, pattern: RegExp) => [...text.matchAll(pattern)].map(([, name = '']) => name)

/** `## Alerts` of the operators' manual, by the title of the section. */
export function runbook(): Map<string, string> {
  const manual = readFileSync(join(root, 'docs/operating.md'), 'utf8')
  const [, alertsPart = ''] = manual.split(/^## Alerts\n/m)
  const sections = (alertsPart.split(/^## /m)[0] ?? '').split(/^### /m).slice(1)
  return new Map(sections.map((section) => [section.slice(0, section.indexOf('\n')), section]))
}

/** Every expression of rules, dashboards and commands of the runbook. */
export function expressions(): Expression[] {
  const ofRules = rules.map(({ alert, record, expr, annotations = {} }) => ({
    where: alert ?? record ?? '',
    expr,
    shown: namesIn(annotations['summary'] ?? '', /\$labels\.(\w+)/g),
  }))
  const ofDashboards = dashboards.flatMap(({ uid, panels }) =>
    panels.flatMap(([title, , , queries]) =>
      Object.entries(queries).map(([legend, expr]) => ({
        where: `${uid}: ${title}`,
        expr,
        shown: namesIn(legend, /\{\{(\w+)\}\}/g),
      })),
    ),
  )
  const ofRunbook = [...runbook()].flatMap(([where, section]) =>
    namesIn(section, /promtool query instant \S+ '([^']+)'/g).map((expr) => ({ where, expr, shown: [] })),
  )
  return [...ofRules, ...ofDashboards, ...ofRunbook]
}
