# Writes the configuration, which cannot take the port from a variable, and becomes nginx.
set -e
folder=$1/$3
mkdir -p "$folder"
cat >"$folder/nginx.conf" <<END
daemon off;
worker_processes $4;
pid $folder/nginx.pid;
error_log stderr;
events { worker_connections 10240; }
http {
  access_log off;
  keepalive_requests 1000000000;
  client_body_temp_path $folder/body;
  proxy_temp_path $folder/proxy;
  fastcgi_temp_path $folder/fastcgi;
  uwsgi_temp_path $folder/uwsgi;
  scgi_temp_path $folder/scgi;
  server {
    listen $2:$3 backlog=1024;
    default_type text/plain;
    location = / { return 200 "Hello, World!"; }
    location / { return 404; }
  }
}
END
exec nginx -p "$folder" -c "$folder/nginx.conf"
