/** @slow It starts its own platform. */
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { expect, test } from '@jest/globals'
import { processNames } from '@payments/devkit/platform/process-plan'
import { parse } from 'yaml'
import { alertsPage } from '../scripts/texts/alerts/page.mjs'
import { dashboardFiles } from '../scripts/texts/dashboards/document.mjs'
import { dashboards } from '../scripts/texts/dashboards/table.mjs'
import { findUnexported, labelsBySample, promtool } from './observe/exported.ts'
import { alertRules, alerts, root, ruleFiles, ruleTests } from './observe/files.ts'
import { parseQuery } from './observe/promql.ts'

/** Alerts and dashboards, without servers. test/journey.test.ts compares them with the metrics of real processes. */
const configuration = join(root, 'observe/prometheus/prometheus.yml')
const dashboardDirectory = join(root, 'observe/grafana/dashboards')
const dashboardPaths = () => readdirSync(dashboardDirectory).filter((name) => name.endsWith('.json'))

/** By its provisioning. */
function dashboardPathOfGrafana(): string {
  const { providers } = parse(readFileSync(join(root, 'observe/grafana/provisioning/dashboards/payments.yml'), 'utf8'))
  return providers[0].options.path
}

test('promtool accepts the configuration and the rules', () => {
  expect([null, '']).toContain(promtool(['check', 'config', configuration]))
  expect([null, '']).toContain(promtool(['check', 'rules', ...ruleFiles]))
}, 660_000)

/** Writes the tests with the annotations of each alert that have no template, which promtool compares too. */
function completeRuleTests(): string {
  const tests = parse(readFileSync(ruleTests, 'utf8')) as RuleTests
  for (const { alertname, exp_alerts: expected } of tests.tests.flatMap((given) => given.alert_rule_test ?? [])) {
    const { summary: _, ...constant } = alerts.find(({ alert }) => alert === alertname)?.annotations ?? {}
    for (const alert of expected) alert.exp_annotations = { ...constant, ...alert.exp_annotations }
  }
  const file = join(mkdtempSync(join(tmpdir(), 'rules-')), 'pages.yml')
  writeFileSync(file, JSON.stringify({ ...tests, rule_files: ruleFiles }))
  return file
}

interface RuleTests {
  readonly tests: readonly {
    readonly alert_rule_test?: readonly {
      readonly alertname: string
      readonly exp_alerts: { exp_annotations?: Readonly<Record<string, string>> }[]
    }[]
  }[]
}

test('each alert that pages fires when it should, and not otherwise', () => {
  expect([null, '']).toContain(promtool(['test', 'rules', completeRuleTests()]))
  const tested = new Set(
    (parse(readFileSync(ruleTests, 'utf8')) as RuleTests).tests.flatMap(({ alert_rule_test: given = [] }) =>
      given.filter(({ exp_alerts: expected }) => expected.length > 0).map(({ alertname }) => alertname),
    ),
  )
  const paging = alerts.filter(({ labels }) => labels?.['severity'] === 'page').map(({ alert }) => alert)
  expect(paging.length).toBeGreaterThan(8)
  expect(paging.filter((name) => !tested.has(name))).toEqual([])
}, 660_000)

test('each alert has a severity, a summary, what users notice, a command that checks it, and the action', () => {
  for (const { alert, labels, annotations } of alerts) {
    expect([alert, labels?.['severity']]).toEqual([alert, expect.stringMatching(/^(page|ticket)$/)])
    expect(annotations).toEqual({
      summary: expect.stringMatching(/^(\{\{|[A-Z]).{20,160}\.$/),
      impact: expect.stringMatching(/^[A-Z][^{]+\.$/),
      check: expect.stringMatching(/^(promtool query|payctl) /),
      action: expect.stringMatching(/^\S[^{]+\.$/),
      runbook_url: `docs/alerts.md#${alert.toLowerCase()}`,
    })
  }
})

test('docs/alerts.md has every alert (write it with `node scripts/texts/alerts.mjs`)', () => {
  expect(readFileSync(join(root, 'docs/alerts.md'), 'utf8')).toBe(alertsPage(readFileSync(alertRules, 'utf8')))
})

test('`node scripts/texts/dashboards.mjs` writes the dashboards where Grafana reads them, and deletes others', () => {
  writeFileSync(join(dashboardDirectory, 'deleted.json'), '{}')
  execFileSync(process.execPath, [join(root, 'scripts/texts/dashboards.mjs')])
  const written = dashboardPaths().map((file) => [file, readFileSync(join(dashboardDirectory, file), 'utf8')] as const)
  expect(new Map(written)).toEqual(dashboardFiles(dashboards))
  const { volumes } = parse(readFileSync(join(root, 'docker-compose.yml'), 'utf8')).services.grafana
  expect(volumes).toContain(`./${relative(root, dashboardDirectory)}:${dashboardPathOfGrafana()}:ro`)
})

test('each panel has a question, and all read the data source that is provisioned', () => {
  for (const { panels } of dashboards) for (const [, question] of panels) expect(question).toMatch(/\?/)
  const { datasources } = parse(
    readFileSync(join(root, 'observe/grafana/provisioning/datasources/prometheus.yml'), 'utf8'),
  )
  const uids = [...dashboardFiles(dashboards).values()].flatMap((text) =>
    [...text.matchAll(/"type": "prometheus",\s+"uid": "(\w+)"/g)].map(([, uid]) => uid),
  )
  expect(uids.length).toBeGreaterThan(60)
  expect([...new Set(uids)]).toEqual(datasources.map(({ uid }: { uid: string }) => uid))
})

test('Prometheus scrapes every process under its name', () => {
  const { scrape_configs: jobs } = parse(readFileSync(configuration, 'utf8')) as {
    scrape_configs: { static_configs: { targets: string[]; labels: { service: string } }[] }[]
  }
  const targets = jobs.flatMap(({ static_configs: configs }) => configs)
  expect(targets.map(({ labels }) => labels.service).sort()).toEqual([...processNames].sort())
  for (const { targets: addresses, labels } of targets) expect(addresses[0]?.split(':')[0]).toBe(labels.service)
})

test.each([
  ['a renamed metric', 'rate(b_total[5m])', [], 'no process exports b_total'],
  ['a renamed label in a selector', 'a_total{kind="x"}', [], 'a_total has no label kind'],
  ['a renamed label of an aggregation', 'sum by (kind) (rate(a_total[5m]))', [], 'a_total has no label kind'],
  ['a renamed label around two metrics', 'a_total / on (kind) a_total', [], 'a_total has no label kind'],
  ['a label that the aggregation removes', 'max(a_total)', ['code'], 'shows code, which its results do not have'],
])('… and reports %s', (_what, expr, shown, complaint) => {
  const exported = labelsBySample('# HELP a_total Text\n# TYPE a_total counter\na_total{code="{x}",service="s"} 1\n')
  const [found = ''] = findUnexported(exported, [{ where: 'here', expr, shown }])
  expect(found).toContain(complaint)
  const right = expr.replaceAll('b_total', 'a_total').replaceAll('kind', 'code')
  expect(findUnexported(exported, [{ where: 'here', expr: right, shown: [] }])).toEqual([])
})

test('… and reads no expression that is not PromQL', () => {
  expect(() => parseQuery('sum by (code (a_total)')).toThrow('not PromQL')
})
