import { useTitle } from '../lib/browser/title.ts'
import { useStore } from '../lib/store.ts'
import { texts } from '../lib/texts/index.ts'
import { EmptyState } from '../ui/EmptyState.tsx'
import { ExternalLink } from './layout/ExternalLink.tsx'
import type { MenuItem } from './menuRoutes.ts'
import { menus } from './menus.ts'

/** External menus share the path /iframe; opened by itself it lists them. */
export function ExternalLinksPage() {
  useTitle(texts.layout.externalLinks)
  const links = externalItems(useStore(menus).items)
  return (
    <EmptyState
      title={texts.layout.externalLinks}
      hint={links.length === 0 ? texts.list.empty : texts.layout.newWindow}
      action={links.map((link) => (
        <ExternalLink key={`${link.id} ${link.href}`} className="button" href={link.href} name={link.title}>
          {link.title}
        </ExternalLink>
      ))}
    />
  )
}

function externalItems(items: readonly MenuItem[]): (MenuItem & { href: string })[] {
  return items.flatMap((item) => (item.href ? [{ ...item, href: item.href }] : externalItems(item.children)))
}
