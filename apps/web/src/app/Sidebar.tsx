import { HomeOutlined } from '@ant-design/icons'
import { Link, useRouterState } from '@tanstack/react-router'
import { type KeyboardEvent, type ReactNode, useState } from 'react'
import { useStore } from '../lib/store.ts'
import { texts } from '../lib/texts/index.ts'
import { Mark } from '../ui/Mark.tsx'
import { MenuIcon } from '../ui/menuIcons.tsx'
import type { MenuItem } from './menuRoutes.ts'
import { menus } from './menus.ts'
import styles from './Sidebar.module.css'

export interface SidebarProps {
  isMobile: boolean
  /** On a desk, closed leaves a rail of icons; on a phone, nothing. */
  isOpen: boolean
  onOpen: () => void
  onClose: () => void
}

export function Sidebar({ isMobile, isOpen, onOpen, onClose }: SidebarProps) {
  const { items } = useStore(menus)
  const path = useRouterState({ select: (state) => state.location.pathname })
  const isRail = !isMobile && !isOpen
  return (
    <nav
      className={styles.sidebar}
      aria-label={texts.layout.mainMenu}
      data-rail={isRail || undefined}
      inert={isMobile && !isOpen}
      onKeyDown={(event: KeyboardEvent) => {
        if (isMobile && event.key === 'Escape') onClose()
      }}
    >
      <Link to="/dashboard" className={styles.brand} title={texts.product.purpose}>
        <Mark size={22} />
        <span className={styles.text}>{texts.product.name}</span>
      </Link>
      <ul className={styles.list}>
        <li>
          <Link
            to="/dashboard"
            className={styles.line}
            data-active={path === '/dashboard' || undefined}
            title={texts.layout.homeTitle}
          >
            <Icon>
              <HomeOutlined />
            </Icon>
            <span className={styles.text}>{texts.layout.home}</span>
          </Link>
        </li>
        {items.map((item) => (
          <Line key={item.id} item={item} path={path} depth={0} isRail={isRail} onOpen={onOpen} />
        ))}
      </ul>
    </nav>
  )
}

interface LineProps {
  item: MenuItem
  path: string
  depth: number
  isRail: boolean
  onOpen: () => void
}

function Line({ item, path, depth, isRail, onOpen }: LineProps) {
  const isActive = path === item.path
  const holdsActive = path.startsWith(`${item.path}/`)
  const [isFolded, setFolded] = useState(false)
  const icon = depth === 0 && <Icon>{<MenuIcon name={item.icon} />}</Icon>
  const inset = { paddingLeft: depth === 0 ? undefined : 32 + (depth - 1) * 14 }

  if (item.href) {
    return (
      <li>
        <a
          href={item.href}
          target="_blank"
          rel="noopener noreferrer"
          className={styles.line}
          style={inset}
          title={isRail ? item.title : texts.layout.newWindow}
        >
          {icon}
          <span className={styles.text}>{item.title}</span>
          <span className={styles.mark} aria-hidden="true">
            ↗
          </span>
        </a>
      </li>
    )
  }
  if (item.children.length === 0) {
    return (
      <li>
        <Link
          to={item.path}
          className={styles.line}
          style={inset}
          data-active={isActive || undefined}
          aria-current={isActive ? 'page' : undefined}
          title={isRail ? item.title : undefined}
        >
          {icon}
          <span className={styles.text}>{item.title}</span>
        </Link>
      </li>
    )
  }
  return (
    <li>
      <button
        type="button"
        className={styles.line}
        style={inset}
        data-holds={(isRail && holdsActive) || undefined}
        aria-expanded={!isFolded && !isRail}
        title={isRail ? item.title : undefined}
        onClick={() => (isRail ? onOpen() : setFolded(!isFolded))}
      >
        {icon}
        <span className={styles.text}>{item.title}</span>
        <span className={styles.fold} data-folded={isFolded || undefined} aria-hidden="true" />
      </button>
      {!isFolded && !isRail && (
        <ul>
          {item.children.map((child) => (
            <Line key={child.id} item={child} path={path} depth={depth + 1} isRail={false} onOpen={onOpen} />
          ))}
        </ul>
      )}
    </li>
  )
}

function Icon({ children }: { children: ReactNode }) {
  return (
    <span className={styles.icon} aria-hidden="true">
      {children}
    </span>
  )
}
