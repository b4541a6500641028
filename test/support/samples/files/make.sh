#!/bin/sh
# Makes these files anew, with Debian's espeak-ng, ffmpeg, opus-tools, vorbis-tools, lame, flac,
# ghostscript, libreoffice-writer and qpdf. Each recording and film lasts two seconds, each PDF has
# three pages. Run it in an empty folder.
set -e
espeak-ng -w speech.wav -s 150 'Habari ya asubuhi. Naitwa Neema, natoka Dodoma.'
ff() { ffmpeg -v error -y "$@"; }
ff -i speech.wav -ac 1 -ar 16000 -t 2 -map_metadata -1 -bitexact base.wav

ff -i base.wav -ar 8000 pcm.wav
ff -i base.wav -ar 8000 -c:a pcm_mulaw mulaw.wav
ff -i base.wav -ar 8000 -c:a adpcm_ima_wav ima.wav
ff -i base.wav -ar 8000 -c:a libgsm_ms gsm.wav
ff -i base.wav -b:a 16k cbr.mp3
lame --quiet -V 7 base.wav vbr.mp3
flac -s -f pcm.wav -o flac.flac
ff -i base.wav -c:a aac -b:a 16k adts.aac
ff -i base.wav -c:a aac -b:a 16k aac.m4a
ff -i base.wav -c:a aac -b:a 16k -movflags frag_keyframe+empty_moov -frag_duration 300000 fragments.m4a
ff -i base.wav -ar 8000 -c:a alac alac.m4a
opusenc --quiet --bitrate 12 base.wav opus.ogg
opusenc --quiet --bitrate 12 --framesize 60 base.wav long-packets.ogg
oggenc -Q -q 0 base.wav -o vorbis.ogg
ff -i base.wav -c:a libopus -b:a 12k opus.webm
ff -i base.wav -c:a libopus -b:a 12k -f webm -live 1 browser.webm
ff -i base.wav -c:a libvorbis -q:a 0 vorbis.webm
PICTURES='-f lavfi -i testsrc=duration=2:size=64x48:rate=10'
ff $PICTURES -i base.wav -c:v libx264 -crf 45 -c:a aac -b:a 12k film.mp4
ff $PICTURES -i base.wav -c:v libvpx -b:v 20k -c:a libopus -b:a 12k film.webm

words() { for i in $(seq 45); do echo "Habari ya asubuhi, naitwa Neema Mushi, natoka Dodoma $1 $i"; done; }
{ words 1; printf '\f'; words 2; printf '\f'; words 3; } > text.txt
soffice --headless --convert-to pdf text.txt && mv text.pdf office.pdf
{
  echo '%!PS /Times-Roman findfont 10 scalefont setfont'
  for page in 1 2 3; do
    words $page | awk '{ printf "50 %d moveto (%s) show\n", 760 - NR * 15, $0 }'
    echo showpage
  done
} > text.ps
gs -q -dNOPAUSE -dBATCH -sDEVICE=pdfwrite -o ghostscript.pdf text.ps
gs -q -dNOPAUSE -dBATCH -sDEVICE=pdfimage8 -r30 -o scan.pdf text.ps
qpdf --object-streams=generate --linearize office.pdf packed.pdf
qpdf --encrypt a b 256 -- ghostscript.pdf locked.pdf
rm -f speech.wav base.wav text.txt text.ps
