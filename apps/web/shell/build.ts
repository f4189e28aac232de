// The build step that writes the static frame of the console and its first script into index.html.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { listAlarms } from '@voltkeep/contract/alarms'
import { pageSizes } from '@voltkeep/contract/preferences'
import type { Plugin, Rolldown } from 'vite'
import { publicPaths } from '../src/app/publicPaths.ts'
import { narrowQuery } from '../src/lib/media.ts'
import { fittingSize } from '../src/ui/list/fittingSize.ts'
import { sizes, variablesStyle } from '../src/ui/tokens.ts'
import { begin, type Plan } from './begin.ts'
import { firstListOf } from './firstList.ts'

type Bundle = Rolldown.OutputBundle
type Chunk = Rolldown.OutputChunk

const web = join(import.meta.dirname, '..')

/**
 * Writes the beginning of index.html: the variables and the styles of the frame, and `begin` with the files of each
 * page. The frame is painted before any other file is there: the style sheet comes after it.
 */
export function shell(): Plugin {
  return {
    name: 'voltkeep-shell',
    transformIndexHtml: {
      order: 'post',
      handler(html, { bundle }) {
        const plan: Plan = {
          publicPaths,
          ...(bundle ? filesOfPages(bundle) : nothing),
          lists: { '/maintenance/exitWarning': firstListOf(listAlarms) },
          fitting: { sizes: pageSizes, rowPx: sizes.row, compactRowPx: sizes.rowCompact, narrowQuery },
        }
        return {
          html: withStylesAfterTheFrame(html),
          tags: [
            { tag: 'style', children: firstStyles(), injectTo: 'head' },
            {
              tag: 'script',
              children: `(${begin})(${JSON.stringify(plan)}, ${fittingSize})`,
              injectTo: 'head',
            },
          ],
        }
      },
    },
  }
}

const nothing = { files: [], others: [], byPath: {} }

function firstStyles(): string {
  const styles = readFileSync(join(import.meta.dirname, 'shell.css'), 'utf8')
  return variablesStyle() + styles.replace(/\/\*[\s\S]*?\*\//g, '').replace(/\s+/g, ' ')
}

/** A style sheet in the head would delay the painting of the frame. */
function withStylesAfterTheFrame(html: string): string {
  const sheet = /\s*<link rel="stylesheet"[^>]*>/g
  const sheets = html.match(sheet) ?? []
  return html.replace(sheet, '').replace(/(?=\s*<div id="root">)/, sheets.join(''))
}

/** The files that each page needs beyond those that index.html names itself. */
function filesOfPages(bundle: Bundle): Pick<Plan, 'files' | 'others' | 'byPath'> {
  const chunks = Object.values(bundle).filter((output) => output.type === 'chunk')
  const entry = chunks.find((chunk) => chunk.isEntry)
  const console = chunks.find((chunk) => chunk.name === 'console')
  if (!entry || !console) throw new Error('the build has no entry or no console')
  const begun = needs(entry, bundle)
  const always = needs(console, bundle)
  const files: string[] = []
  /** The largest first: a browser has six connections to a host. */
  const places = (wanted: Iterable<string>) =>
    [...new Set(wanted)]
      .filter((file) => !begun.has(file))
      .sort((one, other) => sizeOf(other, bundle) - sizeOf(one, bundle))
      .map((file) => {
        if (!files.includes(file)) files.push(file)
        return files.indexOf(file)
      })
  const byPath: Record<string, number[]> = {}
  for (const [path, module] of pageModules()) {
    const chunk = chunks.find(({ facadeModuleId }) => facadeModuleId === join(web, 'src', module))
    // A page that shares its file with another has none of its own.
    if (chunk) byPath[path] = places([...always, ...needs(chunk, bundle)])
  }
  const others = places(always)
  return { files: files.map((file) => `/${file}`), others, byPath }
}

function sizeOf(file: string, bundle: Bundle): number {
  const found = bundle[file]
  return found?.type === 'chunk' ? found.code.length : (found?.source.length ?? 0)
}

/** Pages by the path that their menu has by default, which is their key. */
function pageModules(): [path: string, module: string][] {
  const source = readFileSync(join(web, 'src/app/pages.ts'), 'utf8')
  const pages = [...source.matchAll(/'([\w/]+)': \(\) => import\('\.\.\/([\w/.]+)'\)/g)]
  if (pages.length === 0) throw new Error('src/app/pages.ts names no page')
  return [
    ['/dashboard', 'features/overview/OverviewPage.tsx'],
    ...pages.map(([, key = '', module = '']): [string, string] => [`/${key}`, module]),
  ]
}

/** The chunk, what it imports, and their styles. */
function needs(chunk: Chunk, bundle: Bundle): Set<string> {
  const files = new Set<string>()
  const visit = (file: string) => {
    const found = bundle[file]
    if (found?.type !== 'chunk' || files.has(file)) return
    files.add(file)
    for (const style of found.viteMetadata?.importedCss ?? []) files.add(style)
    for (const imported of found.imports) visit(imported)
  }
  visit(chunk.fileName)
  return files
}
