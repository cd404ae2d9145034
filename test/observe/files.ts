/** The alerts, records and dashboards of the repository. */
import { readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { parse } from 'yaml'
import { dashboards } from '../../scripts/texts/dashboards/table.mjs'

export const root = resolve(import.meta.dirname, '../..')
const rulesDirectory = join(root, 'observe/prometheus/rules')
export const alertRules = join(rulesDirectory, 'alerts.yml')
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

/** Every expression of rules, dashboards and checks of alerts. */
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
  const ofChecks = alerts.flatMap(({ alert, annotations = {} }) =>
    namesIn(annotations['check'] ?? '', /promtool query instant \S+ '([^']+)'/g).map((expr) => ({
      where: alert,
      expr,
      shown: [],
    })),
  )
  return [...ofRules, ...ofDashboards, ...ofChecks]
}
