/** A dashboard as Grafana reads it. */

/** The data source of observe/grafana/provisioning/datasources. */
const datasource = { type: 'prometheus', uid: 'payments' }
const size = { w: 12, h: 8 }

/** @param {(typeof import('./table.mjs').dashboards)[number]} dashboard */
function dashboardDocument({ uid, title, panels }) {
  return {
    uid: `payments-${uid}`,
    title,
    tags: ['payments'],
    schemaVersion: 39,
    version: 1,
    editable: false,
    refresh: '30s',
    time: { from: 'now-3h', to: 'now' },
    timezone: 'browser',
    panels: panels.map(panelDocument),
  }
}

/** @param {import('./table.mjs').Panel} panel */
function panelDocument([title, description, unit, queries], index) {
  return {
    id: index + 1,
    type: 'timeseries',
    title,
    description,
    datasource,
    gridPos: { ...size, x: (index % 2) * size.w, y: Math.floor(index / 2) * size.h },
    fieldConfig: { defaults: { unit, min: 0, custom: { fillOpacity: 10, showPoints: 'never' } }, overrides: [] },
    options: {
      legend: { displayMode: 'list', placement: 'bottom', showLegend: true },
      tooltip: { mode: 'multi', sort: 'desc' },
    },
    targets: Object.entries(queries).map(([legendFormat, expr], number) => ({
      refId: String.fromCharCode('A'.charCodeAt(0) + number),
      datasource,
      expr,
      legendFormat,
    })),
  }
}

/** The files by name. */
export function dashboardFiles(dashboards) {
  return new Map(
    dashboards.map((dashboard) => [
      `${dashboard.uid}.json`,
      `${JSON.stringify(dashboardDocument(dashboard), null, 2)}\n`,
    ]),
  )
}
