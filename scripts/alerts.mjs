/** node scripts/alerts.mjs: prints docs/alerts.md from the alert rules. A test fails while it is out of date. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { alertsPage } from './alerts/page.mjs'
import { root } from './bootstrap.mjs'

const rules = readFileSync(join(root, 'observe/prometheus/rules/alerts.yml'), 'utf8')
writeFileSync(join(root, 'docs/alerts.md'), alertsPage(rules))
