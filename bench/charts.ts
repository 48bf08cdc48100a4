// Plots as SVG: ratios of all rows as bars, growth as curves. Used by: run.

import * as echarts from 'echarts'
import { compare } from './figures.js'
import type { Result } from './sampling.js'

const WIDTH = 960
const BAR_HEIGHT = 26
const MARGIN = 90
const MILLRACE = '#1f7a8c'
const PEER = '#c0392b'

function svg(width: number, height: number, option: echarts.EChartsOption): string {
  const chart = echarts.init(null, null, { renderer: 'svg', ssr: true, width, height })
  chart.setOption({ animation: false, backgroundColor: '#ffffff', ...option })
  const text = chart.renderToSVGString()
  chart.dispose()
  return text
}

/** Bars of both ratios per row, on a logarithmic axis so that twice and half look alike; 1 is the peer. */
export function ratioChart(results: readonly Result[], peerName: string): string {
  // Category axes are drawn from the bottom up.
  const compared = [...results].reverse().map(result => ({ name: result.row.name, ...compare(result) }))
  const round = (n: number) => Number(n.toFixed(2))
  const label = { show: true, position: 'right' as const, fontSize: 10 }
  return svg(WIDTH, compared.length * BAR_HEIGHT * 1.6 + MARGIN, {
    title: { text: `Millrace against ${peerName}`, subtext: `1 is ${peerName}`, left: 10 },
    legend: { top: 10, right: 20 },
    grid: { left: 210, right: 60, top: 70, bottom: 30 },
    xAxis: { type: 'log', logBase: 2, min: 0.125 },
    yAxis: { type: 'category', data: compared.map(({ name }) => name) },
    series: [
      {
        type: 'bar',
        name: 'CPU per operation (less is better)',
        color: '#b0b7bd',
        label,
        data: compared.map(({ cpuRatio }) => (cpuRatio === undefined ? null : round(cpuRatio))),
      },
      {
        type: 'bar',
        name: 'throughput (more is better)',
        color: MILLRACE,
        label,
        data: compared.map(({ throughputRatio }) => round(throughputRatio)),
        markLine: { silent: true, symbol: 'none', data: [{ xAxis: 1 }], label: { show: false } },
      },
    ],
  })
}

/** One curve per server: CPU per operation over `x`. Keys are the names of the curves. */
export function growthCharts(results: readonly Result[], peerName: string): Map<string, string> {
  const charts = new Map<string, string>()
  const names = new Set(results.map(({ row }) => row.curve?.name).filter(name => name !== undefined))
  for (const name of names) {
    const points = results
      .filter(({ row }) => row.curve?.name === name)
      .map(result => ({ x: result.row.curve!.x, ...compare(result) }))
      .sort((a, b) => a.x - b.x)
    const first = results.find(({ row }) => row.curve?.name === name)!.row
    charts.set(
      name,
      svg(WIDTH / 1.5, 380, {
        title: { text: name, subtext: `server CPU per ${first.unit}`, left: 10 },
        legend: { top: 10, right: 20 },
        grid: { left: 70, right: 40, top: 70, bottom: 50 },
        xAxis: { type: 'log', name: first.curve!.xName, nameLocation: 'middle', nameGap: 30 },
        yAxis: { type: 'value', name: 'µs', min: 0 },
        series: [
          { type: 'line', name: 'Millrace', color: MILLRACE, data: points.map(p => [p.x, p.millrace.cpuUs]) },
          { type: 'line', name: peerName, color: PEER, data: points.map(p => [p.x, p.peer.cpuUs]) },
        ],
      }),
    )
  }
  return charts
}
