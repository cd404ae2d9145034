/** node scripts/texts/dashboards.mjs: writes the dashboards of Grafana from scripts/texts/dashboards/table.mjs. */
import { readdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { dashboardFiles } from './dashboards/document.mjs'
import { dashboards } from './dashboards/table.mjs'

const directory = join(dirname(fileURLToPath(import.meta.url)), '..', '..', 'observe', 'grafana', 'dashboards')
for (const file of readdirSync(directory).filter((name) => name.endsWith('.json'))) rmSync(join(directory, file))
for (const [file, text] of dashboardFiles(dashboards)) writeFileSync(join(directory, file), text)
