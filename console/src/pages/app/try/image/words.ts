import { words } from '../../../../words/language.tsx'

export const imageWords = words({
  sw: {
    prompt: 'Eleza picha unayotaka',
    example: 'Soko la Kariakoo asubuhi, rangi za maji',
    draw: 'Chora',
    drawing: 'Inachora…',
    count: 'Idadi ya picha',
    shape: 'Umbo',
    shapes: { '1:1': 'Mraba (1:1)', '16:9': 'Pana (16:9)', '9:16': 'Ndefu (9:16)' },
    notKept: 'Picha hazihifadhiwi kwetu. Pakua unazozitaka.',
  },
  en: {
    prompt: 'Describe the picture you want',
    example: 'Kariakoo market in the morning, watercolour',
    draw: 'Draw',
    drawing: 'Drawing…',
    count: 'Number of pictures',
    shape: 'Shape',
    shapes: { '1:1': 'Square (1:1)', '16:9': 'Wide (16:9)', '9:16': 'Tall (9:16)' },
    notKept: 'We do not keep pictures. Download those that you want.',
  },
})
