import styles from '../../ui/CabinetDrawing.module.css'

/** How full each battery module is, from the top; the lowest one is charged last. */
const charges = [100, 100, 100, 64]

/** A home's energy storage as the product sees it: sun, converter, battery modules. */
export function StorageDrawing() {
  return (
    <svg className={styles.drawing} viewBox="0 0 220 300" aria-hidden="true">
      <path className={styles.bin} d="M52 8h132l20 58H32z" />
      <path className={styles.wire} d="M45 27h145M39 46h158M85 8 76 66M118 8v58M151 8l9 58" />
      <path className={styles.wire} d="M118 66v30" />
      <rect className={styles.case} x="38" y="96" width="160" height="196" rx="10" />
      <rect className={styles.screen} x="50" y="108" width="136" height="40" rx="4" />
      <path className={styles.pulse} d="M58 140h18c14 0 18-24 42-24s28 24 42 24h18" />
      {charges.map((charge, at) => {
        const y = 156 + at * 33
        return (
          // biome-ignore lint/suspicious/noArrayIndexKey: a drawing does not change
          <g key={at} data-state="filled">
            <rect className={styles.bin} x="50" y={y} width="136" height="27" rx="4" />
            <text className={styles.percent} x="60" y={y + 17}>
              {charge}
            </text>
            <rect className={styles.track} x="88" y={y + 12} width="86" height="4" rx="2" />
            <rect
              className={charge === 100 ? styles.full : styles.charging}
              x="88"
              y={y + 12}
              width={(86 * charge) / 100}
              height="4"
              rx="2"
            />
          </g>
        )
      })}
    </svg>
  )
}
