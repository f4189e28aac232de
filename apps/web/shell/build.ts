import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { listAlarms } from '@voltkeep/contract/alarms'
import { listDevices } from '@voltkeep/contract/devices'
import { pageSizes } from '@voltkeep/contract/preferences'
import type { Plugin, Rolldown } from 'vite'
import { publicPaths } from '../src/app/publicPaths.ts'
import { narrowQuery } from '../src/lib/browser/media.ts'
import { fittingSize } from '../src/ui/list/table/fittingSize.ts'
import { sizes, variablesStyle } from '../src/ui/theme/tokens.ts'
import { begin, type Plan } from './begin.ts'
import { firstListOf } from './firstList.ts'

/**
 * Writes the beginning of index.html: the variables and the styles of the frame, and `begin` with the files that every
 * page of the console needs. The frame is painted before any other file is there: the style sheet comes after it.
 */
export function shell(): Plugin {
  return {
    name: 'voltkeep-shell',
    transformIndexHtml: {
      order: 'post',
      handler(html, { bundle }) {
        const plan: Plan = {
          publicPaths,
          files: bundle ? filesOf(bundle, layers) : [],
          pages: {
            // Its files are those of every list.
            '/maintenance/exitWarning': { files: [], list: firstListOf(listAlarms, { isCaused: '0' }) },
            '/equipment/list': {
              files: bundle ? filesOf(bundle, ['devices', 'common']) : [],
              list: firstListOf(listDevices),
            },
          },
          fitting: { sizes: pageSizes, rowPx: sizes.row, compactRowPx: sizes.rowCompact, narrowQuery },
        }
        const styles = variablesStyle() + readFileSync(join(import.meta.dirname, 'shell.css'), 'utf8')
        const script = `(${begin})(${JSON.stringify(plan)}, ${fittingSize})`
        return {
          html: withSheetAfterFrame(html),
          tags: [
            { tag: 'style', children: styles, injectTo: 'head' },
            { tag: 'script', children: script, injectTo: 'head' },
          ],
        }
      },
    },
  }
}

/** In the head, Vite's link to the entry's style sheet would delay the frame, and the script after it. */
function withSheetAfterFrame(html: string): string {
  const [sheet = ''] = /<link rel="stylesheet"[^>]*>/.exec(html) ?? []
  return html.replace(sheet, '').replace('<div id="root">', `${sheet}<div id="root">`)
}

/** The layers of vite.config.ts that every page of the console needs beyond the entry, the larger one first. */
const layers = ['console', 'list']

/** Scripts, then styles: a browser has six connections to a host. */
function filesOf(bundle: Rolldown.OutputBundle, names: readonly string[]): string[] {
  const chunks = Object.values(bundle).filter((output) => output.type === 'chunk')
  const needed = names.map((name) => {
    const chunk = chunks.find((each) => each.name === name)
    if (!chunk) throw new Error(`the build has no layer ${name}`)
    return chunk
  })
  const styles = needed.flatMap((chunk) => [...(chunk.viteMetadata?.importedCss ?? [])])
  return [...needed.map(({ fileName }) => fileName), ...styles].map((file) => `/${file}`)
}
