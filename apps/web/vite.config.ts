// The build of the console: plugins that cut the first load, and the layers of chunks.
import { join } from 'node:path'
import react from '@vitejs/plugin-react'
import { defineConfig, type Plugin } from 'vite'
import { shell } from './shell/build.ts'

/**
 * `import { Button } from 'antd'` becomes the import of the button's own module. The barrels name some
 * three thousand modules that the bundler would read only to drop them, and hide from `layers` below
 * which of them a module really needs.
 */
function withoutBarrels(): Plugin {
  const barrel = /import\s*\{([^}]*)\}\s*from\s*'(antd|@ant-design\/icons)'/g
  const kebab = (name: string) => name.replace(/(?<=[a-z])(?=[A-Z])/g, '-').toLowerCase()
  return {
    name: 'voltkeep-without-barrels',
    enforce: 'pre',
    apply: 'build',
    transform(code, id) {
      if (!id.startsWith(join(import.meta.dirname, 'src'))) return
      const direct = code.replace(barrel, (_, names: string, from: string) =>
        names
          .split(',')
          .map((name) => name.trim())
          .filter((name) => name !== '' && !name.startsWith('type '))
          .map((name) => {
            const [original = '', local = original] = name.split(' as ')
            const path = from === 'antd' ? `antd/es/${kebab(original)}/index.js` : `${from}/${original}`
            return `import ${local} from '${path}'`
          })
          .join(';'),
      )
      return direct === code ? undefined : { code: direct, map: null }
    },
  }
}

/**
 * antd's ConfigProvider brings its popups along for one option, a tooltip that glides from place to place, which we do
 * not use. Without it they come with the first control that has a popup.
 */
function withoutGlidingTooltip(): Plugin {
  const provider = '../tooltip/UniqueProvider'
  const nothing = '/@voltkeep/no-gliding-tooltip.js'
  return {
    name: 'voltkeep-without-gliding-tooltip',
    enforce: 'pre',
    apply: 'build',
    resolveId: (asked, importer) =>
      asked === provider && importer?.includes('/antd/es/config-provider/') ? nothing : undefined,
    load: (asked) => (asked === nothing ? 'export default ({ children }) => children' : undefined),
  }
}

/**
 * The files that the first page runs nearly all of say so: V8 then compiles all of their functions at once and beside the
 * main thread, while they come in, in place of one by one on it when each is first called. Other browsers read a comment.
 */
function compiledOnLoad(names: readonly string[]): Plugin {
  return {
    name: 'voltkeep-compiled-on-load',
    enforce: 'post',
    apply: 'build',
    generateBundle: {
      order: 'post',
      handler(_, bundle) {
        for (const output of Object.values(bundle)) {
          if (output.type === 'chunk' && names.includes(output.name))
            output.code = `//# allFunctionsCalledOnLoad\n${output.code}`
        }
      },
    },
  }
}

/**
 * What is always needed together is one file: without this the modules that pages share fall into some
 * forty chunks. In this order: what an earlier layer has, a later one does not repeat.
 */
const layers: Layer[] = [
  {
    // Before any page: router, layout, query client, and the small things that every page shows.
    name: 'console',
    roots: [
      'app/Console.tsx',
      'app/Shell.tsx',
      'lib/wire/reading.ts',
      'ui/EmptyState.tsx',
      'ui/LevelTag.tsx',
      'ui/PageLink.tsx',
      'ui/RelativeTime.tsx',
    ],
  },
  // With the first list: a list, and what most of them have. A file of each would be thirty more to wait for.
  {
    name: 'list',
    roots: [
      'ui/list/ListPage.tsx',
      'ui/list/CodesFilter.tsx',
      'ui/list/ExportButton.tsx',
      'ui/list/filters.tsx',
      'ui/list/useLastMonth.ts',
      'ui/list/useList.ts',
      'ui/list/useLiveList.ts',
      'ui/list/useSelection.ts',
      'ui/choices/filters.tsx',
      'ui/choices/linked.ts',
      'ui/DeviceCode.tsx',
      'ui/Nothing.tsx',
      'ui/OnlineTag.tsx',
      'ui/Permitted.tsx',
      'ui/Tabs.tsx',
      'ui/useOpenRow.ts',
      // Of alarms and devices, which stand on many pages.
      'features/alarms/alarms.columns.tsx',
      '../../../packages/contract/src/alarms.ts',
      '../../../packages/contract/src/devices.ts',
    ],
  },
  // When the first list stands: what its filters and its pager are made of.
  {
    name: 'controls',
    roots: [
      'ui/list/controls.tsx',
      // All that the calendar shares with dialogs: without it the calendar brings the dialogs along.
      '../../../node_modules/antd/es/style/roundedArrow.js',
    ],
  },
  // With the first dialog.
  { name: 'dialog', roots: ['ui/form/FormDialog.tsx', 'ui/form/Field.tsx'] },
]

interface Layer {
  name: string
  roots: string[]
}
type GetModuleInfo = (id: string) => { importedIds: readonly string[] } | null

const needed = new Map<Layer, Set<string>>()

/** Every module that the layer's roots need to run. */
function needs(layer: Layer, getModuleInfo: GetModuleInfo): Set<string> {
  let modules = needed.get(layer)
  if (!modules) {
    modules = new Set(layer.roots.map((root) => join(import.meta.dirname, 'src', root)))
    for (const each of modules) {
      for (const imported of getModuleInfo(each)?.importedIds ?? []) modules.add(imported)
    }
    needed.set(layer, modules)
  }
  return modules
}

export default defineConfig({
  root: import.meta.dirname,
  plugins: [
    withoutBarrels(),
    withoutGlidingTooltip(),
    react(),
    shell(),
    compiledOnLoad(['index', 'console', 'list']),
  ],
  server: {
    port: 5173,
    proxy: { '/api': { target: process.env.API_URL ?? 'http://127.0.0.1:8080', changeOrigin: false } },
  },
  build: {
    target: 'es2023',
    outDir: 'dist',
    emptyOutDir: true,
    manifest: true,
    // No inline data: the page's policy and the cache treat every file alike.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    rolldownOptions: {
      output: {
        codeSplitting: {
          groups: [
            { name: 'start', tags: ['$initial'], priority: layers.length + 1 },
            ...layers.map((layer, at) => ({
              name: (id: string, graph: { getModuleInfo: GetModuleInfo }) =>
                needs(layer, (other) => graph.getModuleInfo(other)).has(id) ? layer.name : null,
              debugName: layer.name,
              priority: layers.length - at,
            })),
          ],
        },
      },
    },
  },
})
